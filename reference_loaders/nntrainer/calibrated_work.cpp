// The published time of each layer in the place of its arithmetic.
#include "reference_loaders/nntrainer/layer_work.hpp"
#include "reference_loaders/nntrainer/published.hpp"

#include <algorithm>
#include <chrono>
#include <span>

namespace tidemark::loaders::nntrainer {
namespace {

using Clock = std::chrono::steady_clock;

/// into[i] += factor * from[i], both from the beginning again where they end, until the longer one
/// has been gone through.
void mix(std::span<float> into, std::span<const float> from, float factor) {
  if (into.empty() || from.empty()) {
    return;
  }
  const std::size_t all = std::max(into.size(), from.size());
  for (std::size_t done = 0; done < all;) {
    const std::size_t a = done % into.size();
    const std::size_t b = done % from.size();
    const std::size_t count = std::min({all - done, into.size() - a, from.size() - b});
    for (std::size_t i = 0; i < count; ++i) {
      into[a + i] += factor * from[b + i];
    }
    done += count;
  }
}

void scale(std::span<float> values, float factor) {
  for (float& value : values) {
    value *= factor;
  }
}

void mix_forward(const LayerData& data) {
  std::ranges::fill(data.output, 0.0F);
  float factor = 0.5F;
  for (const std::span<float> input : data.inputs) {
    mix(data.output, input, factor);
    factor /= 2;  // inputs that were exchanged would not go unnoticed
  }
  for (const std::span<float> weights : data.weights) {
    mix(data.output, weights, 1);
  }
}

void mix_backward(const Network& network, const LayerData& data) {
  for (const std::span<float> weights : data.weights) {
    mix(weights, data.inputs[0], network.learning_rate / 4096);
    mix(weights, data.output, -network.learning_rate / 1024);
  }
  for (std::size_t at = 0; at < data.derivatives.size(); ++at) {
    const std::span<float> derivative = data.derivatives[at];
    if (derivative.empty()) {
      continue;  // of the images, which no layer made
    }
    if (derivative.data() != data.inputs[at].data()) {
      std::ranges::copy(data.inputs[at], derivative.begin());
    }
    scale(derivative, 0.25F);
    mix(derivative, data.output, 0.5F);
  }
}

class CalibratedWork final : public LayerWork {
 public:
  CalibratedWork(const Network& network, std::uint64_t percent)
      : network_(network),
        seconds_(iteration_seconds(network.batch) * static_cast<double>(percent) / 100) {
    for (const Layer& layer : network.layers) {
      all_ += cost(layer);
    }
  }

  void run(LayerIndex index, Pass pass, const LayerData& data) override {
    const auto end = Clock::now() + duration_of(network_.layers[index], pass);
    if (pass == Pass::kForward) {
      mix_forward(data);
    } else {
      mix_backward(network_, data);
    }
    while (Clock::now() < end) {
      // Busy, as arithmetic would be: the other threads have to do with the other processors.
    }
  }

  [[nodiscard]] std::uint64_t scratch_bytes(LayerIndex, Pass) const override { return 0; }

 private:
  /// Multiplications, and an equivalent for going through the layer's values once.
  static double cost(const Layer& layer) {
    constexpr double kOfValue = 32;
    return static_cast<double>(layer.multiplications()) +
           kOfValue * static_cast<double>(layer.in.elements() + layer.out.elements());
  }

  /// Backward there are two products for each one forward: of the weights and of the input.
  [[nodiscard]] Clock::duration duration_of(const Layer& layer, Pass pass) const {
    const double share = cost(layer) / all_ * (pass == Pass::kForward ? 1.0 / 3 : 2.0 / 3);
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds_ * share));
  }

  const Network& network_;
  double seconds_;
  double all_ = 0;
};

}  // namespace

std::unique_ptr<LayerWork> calibrated_work(const Network& network, std::uint64_t percent) {
  return std::make_unique<CalibratedWork>(network, percent);
}

}  // namespace tidemark::loaders::nntrainer
