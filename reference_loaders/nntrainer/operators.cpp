#include "reference_loaders/nntrainer/operators.hpp"

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tidemark::loaders::nntrainer {
namespace {

/// Rows of one image's rows of probabilities, or of logits.
std::span<float> row(std::span<float> all, const Layer& layer, std::uint64_t image) {
  return all.subspan(image * layer.out.elements(), layer.out.elements());
}

void to_probabilities(std::span<float> logits) {
  const float highest = *std::ranges::max_element(logits);
  float sum = 0;
  for (float& value : logits) {
    value = std::exp(value - highest);
    sum += value;
  }
  for (float& value : logits) {
    value /= sum;
  }
}

/// There is no data set: image 0 is a 0, image 1 a 37, image 2 a 74 ...
std::size_t label_of(std::uint64_t image, std::size_t classes) {
  constexpr std::uint64_t kStep = 37;
  return image * kStep % classes;
}

/// Calls `visit(input element, output element)` for each pixel below each window of one image.
template <typename Visit>
void for_each_pooled(const Layer& layer, const Visit& visit) {
  for (std::uint64_t out = 0; out < layer.out.elements(); ++out) {
    const std::uint64_t channel = out / layer.out.pixels();
    const std::uint64_t top = out % layer.out.pixels() / layer.out.width * layer.stride;
    const std::uint64_t left = out % layer.out.width * layer.stride;
    for (std::uint64_t at = 0; at < layer.kernel * layer.kernel; ++at) {
      const std::uint64_t y = top + at / layer.kernel - layer.padding;
      const std::uint64_t x = left + at % layer.kernel - layer.padding;
      if (y < layer.in.height && x < layer.in.width) {
        visit((channel * layer.in.height + y) * layer.in.width + x, out);
      }
    }
  }
}

float share_of_pixel(const Layer& layer) {
  return 1.0F / static_cast<float>(layer.kernel * layer.kernel);
}

}  // namespace

void relu(const LayerData& data) {
  std::ranges::transform(data.inputs[0], data.output.begin(),
                         [](float value) { return value > 0 ? value : 0; });
}

void relu_back(const LayerData& data) {
  for (std::size_t at = 0; at < data.output.size(); ++at) {
    data.derivatives[0][at] = data.inputs[0][at] > 0 ? data.output[at] : 0;
  }
}

void add(const LayerData& data) {
  for (std::size_t at = 0; at < data.output.size(); ++at) {
    data.output[at] = data.inputs[0][at] + data.inputs[1][at];
  }
}

void add_back(const LayerData& data) {
  std::ranges::copy(data.output, data.derivatives[0].begin());
  std::ranges::copy(data.output, data.derivatives[1].begin());
}

void average(const Network& network, const Layer& layer, const LayerData& data) {
  const float share = share_of_pixel(layer);
  std::ranges::fill(data.output, 0.0F);
  for (std::uint64_t image = 0; image < network.batch; ++image) {
    const float* const input = data.inputs[0].data() + image * layer.in.elements();
    float* const output = data.output.data() + image * layer.out.elements();
    for_each_pooled(layer,
                    [=](std::uint64_t in, std::uint64_t out) { output[out] += share * input[in]; });
  }
}

void average_back(const Network& network, const Layer& layer, const LayerData& data) {
  const float share = share_of_pixel(layer);
  std::ranges::fill(data.derivatives[0], 0.0F);
  for (std::uint64_t image = 0; image < network.batch; ++image) {
    float* const derivative = data.derivatives[0].data() + image * layer.in.elements();
    const float* const output = data.output.data() + image * layer.out.elements();
    for_each_pooled(
        layer, [=](std::uint64_t in, std::uint64_t out) { derivative[in] += share * output[out]; });
  }
}

void flatten(const LayerData& data) {
  std::ranges::copy(data.inputs[0], data.output.begin());
}

void flatten_back(const LayerData& data) {
  std::ranges::copy(data.output, data.derivatives[0].begin());
}

void fully_connect(const Network& network, const Layer& layer, const LayerData& data) {
  const std::size_t in = layer.in.elements();
  const std::size_t out = layer.out.elements();
  for (std::uint64_t image = 0; image < network.batch; ++image) {
    std::ranges::copy(data.weights[1], row(data.output, layer, image).begin());
  }
  multiply_add({network.batch, out, in}, {data.inputs[0].data(), in, 1},
               {data.weights[0].data(), out, 1}, data.output.data(), out);
}

void fully_connect_back(const Network& network, const Layer& layer, const LayerData& data) {
  const std::size_t in = layer.in.elements();
  const std::size_t out = layer.out.elements();
  const FloatBlock gradient(layer.weight_elements(), FloatBlock::Content::kZeros);
  multiply_add({in, out, network.batch}, {data.inputs[0].data(), 1, in},
               {data.output.data(), out, 1}, gradient.floats().data(), out);
  const auto bias = gradient.floats().last(out);
  for (std::size_t at = 0; at < data.output.size(); ++at) {
    bias[at % out] += data.output[at];
  }
  std::ranges::fill(data.derivatives[0], 0.0F);
  multiply_add({network.batch, in, out}, {data.output.data(), out, 1},
               {data.weights[0].data(), 1, out}, data.derivatives[0].data(), in);
  const float* step = gradient.floats().data();
  for (const std::span<float> weights : data.weights) {
    for (float& weight : weights) {
      weight -= network.learning_rate * *step++;
    }
  }
}

void softmax(const Network& network, const Layer& layer, const LayerData& data) {
  std::ranges::copy(data.inputs[0], data.output.begin());
  for (std::uint64_t image = 0; image < network.batch; ++image) {
    to_probabilities(row(data.output, layer, image));
  }
}

void softmax_back(const Network& network, const Layer& layer, const LayerData& data) {
  const std::span<float> derivative = data.derivatives[0];
  if (derivative.data() != data.inputs[0].data()) {
    std::ranges::copy(data.inputs[0], derivative.begin());
  }
  const float share = 1.0F / static_cast<float>(network.batch);
  for (std::uint64_t image = 0; image < network.batch; ++image) {
    const std::span<float> errors = row(derivative, layer, image);
    to_probabilities(errors);
    errors[label_of(image, errors.size())] -= 1;
    for (float& error : errors) {
      error *= share;
    }
  }
}

}  // namespace tidemark::loaders::nntrainer
