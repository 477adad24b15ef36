#include "reference_loaders/nntrainer/convolution.hpp"

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/gemm.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tidemark::loaders::nntrainer {
namespace {

/// Pixels of the output that a strip has, give or take a row.
constexpr std::uint64_t kStripPixels = 128;

std::uint64_t strip_rows(const Layer& layer) {
  return std::clamp<std::uint64_t>(kStripPixels / layer.out.width, 1, layer.out.height);
}

std::uint64_t window_elements(const Layer& layer) {
  return layer.in.channels * layer.kernel * layer.kernel;
}

std::uint64_t strip_elements(const Layer& layer) {
  return window_elements(layer) * strip_rows(layer) * layer.out.width;
}

/// What a backward pass with a gradient has beside the layer: that, and one image's derivative.
std::uint64_t gradient_elements(const Layer& layer) {
  return layer.weight_elements() + layer.in.elements();
}

/// The size of one with derivatives: those of all images, if any layer takes them.
std::uint64_t derivative_elements(const Network& network, const Layer& layer) {
  return layer.inputs.front() == kImages ? 0 : layer.in.elements() * network.batch;
}

bool has_small_gradient(const Network& network, const Layer& layer) {
  return gradient_elements(layer) < derivative_elements(network, layer);
}

/// Some rows of one image's output.
struct Strip {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
};

std::vector<Strip> strips_of(const Layer& layer) {
  std::vector<Strip> strips;
  const std::uint64_t rows = strip_rows(layer);
  for (std::uint64_t row = 0; row < layer.out.height; row += rows) {
    strips.push_back({row, std::min(rows, layer.out.height - row)});
  }
  return strips;
}

/// Calls `visit(image element, column element)` for each element of the strip's windows that is not
/// padding; `outside(column element)` for padding. A column's rows are channel, y, x of the window.
template <typename Visit, typename Outside>
void for_each_window_element(const Layer& layer,
                             const Strip& strip,
                             const Visit& visit,
                             const Outside& outside) {
  std::uint64_t column = 0;
  for (std::uint64_t channel = 0; channel < layer.in.channels; ++channel) {
    for (std::uint64_t y = 0; y < layer.kernel; ++y) {
      for (std::uint64_t x = 0; x < layer.kernel; ++x) {
        for (std::uint64_t row = strip.first_row; row < strip.first_row + strip.rows; ++row) {
          // Unsigned: a coordinate above or left of the image is a huge one.
          const std::uint64_t in_y = row * layer.stride + y - layer.padding;
          const std::uint64_t line = (channel * layer.in.height + in_y) * layer.in.width;
          for (std::uint64_t at = 0; at < layer.out.width; ++at, ++column) {
            const std::uint64_t in_x = at * layer.stride + x - layer.padding;
            if (in_y < layer.in.height && in_x < layer.in.width) {
              visit(line + in_x, column);
            } else {
              outside(column);
            }
          }
        }
      }
    }
  }
}

void to_columns(const Layer& layer, const Strip& strip, const float* image, float* columns) {
  for_each_window_element(
      layer, strip, [=](std::uint64_t from, std::uint64_t to) { columns[to] = image[from]; },
      [=](std::uint64_t to) { columns[to] = 0; });
}

void add_columns(const Layer& layer, const Strip& strip, const float* columns, float* image) {
  for_each_window_element(
      layer, strip, [=](std::uint64_t to, std::uint64_t from) { image[to] += columns[from]; },
      [](std::uint64_t) {});
}

/// The backward pass of one layer. What is added to does not matter here: a gradient, or the
/// weights themselves.
class BackwardPass {
 public:
  BackwardPass(const Network& network, const Layer& layer, const LayerData& data)
      : network_(network), layer_(layer), data_(data), columns_(strip_elements(layer)) {}

  /// With a gradient beside the weights: derivatives take the inputs' place image by image.
  void run_with_gradient();
  /// With all derivatives beside the inputs: weights are changed in place, as they are not read any
  /// more.
  void run_with_derivatives();

 private:
  [[nodiscard]] const float* input(std::uint64_t image) const {
    return data_.inputs[0].data() + image * layer_.in.elements();
  }
  [[nodiscard]] float* output(std::uint64_t image, const Strip& strip) const {
    return data_.output.data() + image * layer_.out.elements() + strip.first_row * layer_.out.width;
  }
  void add_gradient(std::uint64_t image, float* filter, float* bias);
  void add_derivative(std::uint64_t image, float* derivative);

  const Network& network_;
  const Layer& layer_;
  const LayerData& data_;
  FloatBlock columns_;
};

void BackwardPass::run_with_gradient() {
  const FloatBlock gradient(layer_.weight_elements(), FloatBlock::Content::kZeros);
  const FloatBlock derivative(layer_.in.elements());
  const auto sums = weight_spans(layer_, gradient.floats());
  for (std::uint64_t image = 0; image < network_.batch; ++image) {
    add_gradient(image, sums[0].data(), sums[1].data());
    std::ranges::fill(derivative.floats(), 0.0F);
    add_derivative(image, derivative.floats().data());
    std::ranges::copy(derivative.floats(),
                      data_.derivatives[0].data() + image * layer_.in.elements());
  }
  for (std::size_t at = 0; at < sums.size(); ++at) {
    for (std::size_t i = 0; i < sums[at].size(); ++i) {
      data_.weights[at][i] -= network_.learning_rate * sums[at][i];
    }
  }
}

void BackwardPass::run_with_derivatives() {
  const FloatBlock derivatives(derivative_elements(network_, layer_), FloatBlock::Content::kZeros);
  for (std::uint64_t image = 0; image < network_.batch && !derivatives.empty(); ++image) {
    add_derivative(image, derivatives.floats().data() + image * layer_.in.elements());
  }
  for (float& value : data_.output) {
    value *= -network_.learning_rate;
  }
  for (std::uint64_t image = 0; image < network_.batch; ++image) {
    add_gradient(image, data_.weights[0].data(), data_.weights[1].data());
  }
  if (!derivatives.empty()) {
    std::ranges::copy(derivatives.floats(), data_.derivatives[0].begin());
  }
}

void BackwardPass::add_gradient(std::uint64_t image, float* filter, float* bias) {
  const std::size_t window = window_elements(layer_);
  for (const Strip& strip : strips_of(layer_)) {
    const std::size_t pixels = strip.rows * layer_.out.width;
    const float* const from = output(image, strip);
    to_columns(layer_, strip, input(image), columns_.floats().data());
    multiply_add({layer_.out.channels, window, pixels}, {from, layer_.out.pixels(), 1},
                 {columns_.floats().data(), 1, pixels}, filter, window);
    for (std::size_t channel = 0; channel < layer_.out.channels; ++channel) {
      const float* const line = from + channel * layer_.out.pixels();
      bias[channel] = std::accumulate(line, line + pixels, bias[channel]);
    }
  }
}

void BackwardPass::add_derivative(std::uint64_t image, float* derivative) {
  const std::size_t window = window_elements(layer_);
  float* const columns = columns_.floats().data();
  for (const Strip& strip : strips_of(layer_)) {
    const std::size_t pixels = strip.rows * layer_.out.width;
    std::fill_n(columns, window * pixels, 0.0F);
    multiply_add({window, pixels, layer_.out.channels}, {data_.weights[0].data(), 1, window},
                 {output(image, strip), layer_.out.pixels(), 1}, columns, pixels);
    add_columns(layer_, strip, columns, derivative);
  }
}

}  // namespace

void convolve(const Network& network, const Layer& layer, const LayerData& data) {
  const FloatBlock columns(strip_elements(layer));
  const std::size_t window = window_elements(layer);
  for (std::uint64_t image = 0; image < network.batch; ++image) {
    const float* const input = data.inputs[0].data() + image * layer.in.elements();
    float* const output = data.output.data() + image * layer.out.elements();
    for (std::uint64_t channel = 0; channel < layer.out.channels; ++channel) {
      std::fill_n(output + channel * layer.out.pixels(), layer.out.pixels(),
                  data.weights[1][channel]);
    }
    for (const Strip& strip : strips_of(layer)) {
      const std::size_t pixels = strip.rows * layer.out.width;
      to_columns(layer, strip, input, columns.floats().data());
      multiply_add({layer.out.channels, pixels, window}, {data.weights[0].data(), window, 1},
                   {columns.floats().data(), pixels, 1}, output + strip.first_row * layer.out.width,
                   layer.out.pixels());
    }
  }
}

void convolve_back(const Network& network, const Layer& layer, const LayerData& data) {
  BackwardPass pass(network, layer, data);
  if (has_small_gradient(network, layer)) {
    pass.run_with_gradient();
  } else {
    pass.run_with_derivatives();
  }
}

std::uint64_t convolution_scratch_bytes(const Network& network, const Layer& layer, Pass pass) {
  std::uint64_t elements = strip_elements(layer);
  if (pass == Pass::kBackward) {
    elements += has_small_gradient(network, layer) ? gradient_elements(layer)
                                                   : derivative_elements(network, layer);
  }
  return elements * sizeof(float);
}

}  // namespace tidemark::loaders::nntrainer
