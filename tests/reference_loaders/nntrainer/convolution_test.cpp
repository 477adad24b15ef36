#include "reference_loaders/nntrainer/convolution.hpp"

#include "tests/support/catch.hpp"

#include <vector>

using namespace tidemark::loaders::nntrainer;

namespace {

/// One pixel of the output, by definition. Weights and inputs are small whole numbers: sums are
/// exact.
float pixel(const Layer& layer,
            const std::vector<float>& weights,
            const float* image,
            std::uint64_t channel,
            std::uint64_t row,
            std::uint64_t column) {
  const std::uint64_t window = layer.kernel * layer.kernel;
  float sum = weights[layer.out.channels * layer.in.channels * window + channel];
  for (std::uint64_t at = 0; at < layer.in.channels * window; ++at) {
    const std::uint64_t y = row * layer.stride + at % window / layer.kernel - layer.padding;
    const std::uint64_t x = column * layer.stride + at % layer.kernel - layer.padding;
    if (y < layer.in.height && x < layer.in.width) {
      sum += weights[channel * layer.in.channels * window + at] *
             image[(at / window * layer.in.height + y) * layer.in.width + x];
    }
  }
  return sum;
}

/// -3, -2 ... 3, -3 ...
std::vector<float> small_numbers(std::uint64_t count) {
  std::vector<float> numbers(count);
  for (std::uint64_t at = 0; at < count; ++at) {
    numbers[at] = static_cast<float>(at % 7) - 3;
  }
  return numbers;
}

}  // namespace

TEST_CASE("a convolution is what its definition makes of it", "[nntrainer][convolution]") {
  struct Geometry {
    Shape in;
    Shape out;
    std::uint64_t kernel;
    std::uint64_t stride;
    std::uint64_t padding;
  };
  // The last has several strips of rows.
  const auto geometry = GENERATE(values<Geometry>({{{2, 4, 4}, {3, 4, 4}, 3, 1, 1},
                                                   {{2, 5, 5}, {3, 3, 3}, 3, 2, 1},
                                                   {{2, 4, 4}, {5, 2, 2}, 1, 2, 0},
                                                   {{1, 6, 4}, {1, 5, 3}, 2, 1, 0},
                                                   {{3, 20, 30}, {2, 20, 30}, 3, 1, 1}}));
  Layer layer;
  layer.in = geometry.in;
  layer.out = geometry.out;
  layer.kernel = geometry.kernel;
  layer.stride = geometry.stride;
  layer.padding = geometry.padding;
  CAPTURE(layer.in.height, layer.kernel, layer.stride);
  Network network;
  network.batch = 2;
  const std::uint64_t filter = layer.out.channels * layer.in.channels * layer.kernel * layer.kernel;
  std::vector<float> weights = small_numbers(filter + layer.out.channels);
  std::vector<float> input = small_numbers(2 * layer.in.elements());
  std::vector<float> output(2 * layer.out.elements());
  const std::span<float> all(weights);

  convolve(
      network, layer,
      {.weights = {all.first(filter), all.subspan(filter)}, .inputs = {input}, .output = output});

  for (std::uint64_t at = 0; at < output.size(); ++at) {
    const std::uint64_t image = at / layer.out.elements();
    const std::uint64_t within = at % layer.out.elements();
    REQUIRE(output[at] == pixel(layer, weights, input.data() + image * layer.in.elements(),
                                within / layer.out.pixels(),
                                within % layer.out.pixels() / layer.out.width,
                                within % layer.out.width));
  }
}
