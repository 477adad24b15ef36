#include "reference_loaders/nntrainer/operators.hpp"

#include <cmath>
#include <cstddef>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr float kEpsilon = 0.001F;  // nntrainer's own
constexpr float kMomentum = 0.99F;

// Places in Layer::weights.
constexpr std::size_t kMovingMean = 0;
constexpr std::size_t kMovingVariance = 1;
constexpr std::size_t kGamma = 2;
constexpr std::size_t kBeta = 3;

/// One channel's pixels in all images.
class Channel {
 public:
  Channel(const Network& network, const Layer& layer, std::size_t channel)
      : images_(network.batch),
        image_stride_(layer.in.elements()),
        first_(channel * layer.in.pixels()),
        pixels_(layer.in.pixels()) {}

  /// Calls `visit(element)`, image by image.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t image = 0; image < images_; ++image) {
      const std::size_t begin = first_ + image * image_stride_;
      for (std::size_t element = begin; element < begin + pixels_; ++element) {
        visit(element);
      }
    }
  }

  [[nodiscard]] float count() const { return static_cast<float>(images_ * pixels_); }

 private:
  std::size_t images_;
  std::size_t image_stride_;
  std::size_t first_;
  std::size_t pixels_;
};

struct Moments {
  float mean = 0;
  float variance = 0;

  [[nodiscard]] float scale() const { return 1.0F / std::sqrt(variance + kEpsilon); }
};

Moments moments_of(const Channel& channel, std::span<const float> values) {
  float sum = 0;
  channel.for_each([&](std::size_t at) { sum += values[at]; });
  Moments moments{.mean = sum / channel.count()};
  float squares = 0;
  channel.for_each([&](std::size_t at) {
    const float off = values[at] - moments.mean;
    squares += off * off;
  });
  moments.variance = squares / channel.count();
  return moments;
}

void follow(float& moving, float current) {
  moving = kMomentum * moving + (1 - kMomentum) * current;
}

}  // namespace

void normalize(const Network& network, const Layer& layer, const LayerData& data) {
  for (std::size_t at = 0; at < layer.in.channels; ++at) {
    const Channel channel(network, layer, at);
    float& mean = data.weights[kMovingMean][at];
    float& variance = data.weights[kMovingVariance][at];
    Moments moments{mean, variance};
    if (network.trains) {
      moments = moments_of(channel, data.inputs[0]);
      follow(mean, moments.mean);
      follow(variance, moments.variance);
    }
    const float scale = data.weights[kGamma][at] * moments.scale();
    const float shift = data.weights[kBeta][at] - scale * moments.mean;
    channel.for_each([&](std::size_t element) {
      data.output[element] = scale * data.inputs[0][element] + shift;
    });
  }
}

/// With x' the normalised input and d the derivative of the output, over n values of a channel:
/// derivative of x = gamma * scale * (d - mean(d) - x' * mean(d * x')).
void normalize_back(const Network& network, const Layer& layer, const LayerData& data) {
  for (std::size_t at = 0; at < layer.in.channels; ++at) {
    const Channel channel(network, layer, at);
    const Moments moments = moments_of(channel, data.inputs[0]);
    const float scale = moments.scale();
    float beta = 0;
    float gamma = 0;
    channel.for_each([&](std::size_t element) {
      beta += data.output[element];
      gamma += data.output[element] * (data.inputs[0][element] - moments.mean) * scale;
    });
    const float factor = data.weights[kGamma][at] * scale;
    const float mean_beta = beta / channel.count();
    const float mean_gamma = gamma / channel.count();
    channel.for_each([&](std::size_t element) {
      const float normalized = (data.inputs[0][element] - moments.mean) * scale;
      data.derivatives[0][element] =
          factor * (data.output[element] - mean_beta - normalized * mean_gamma);
    });
    data.weights[kGamma][at] -= network.learning_rate * gamma;
    data.weights[kBeta][at] -= network.learning_rate * beta;
  }
}

}  // namespace tidemark::loaders::nntrainer
