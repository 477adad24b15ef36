#include "reference_loaders/random_weights.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using tidemark::loaders::RandomWeights;

namespace {

std::vector<float> weights(std::uint64_t seed, std::uint64_t tensor, std::size_t count) {
  std::vector<float> made(count);
  RandomWeights(seed, tensor).fill(made);
  return made;
}

}  // namespace

TEST_CASE("weights repeat for a seed and differ for another seed or tensor", "[random_weights]") {
  CHECK(weights(1, 0, 1000) == weights(1, 0, 1000));
  CHECK(weights(1, 0, 1000) != weights(2, 0, 1000));
  CHECK(weights(1, 0, 1000) != weights(1, 1, 1000));
}

TEST_CASE("a row made in pieces is the row made at once", "[random_weights]") {
  const auto whole = weights(7, 3, 100);
  std::vector<float> pieces(100);
  RandomWeights random(7, 3);
  random.fill(std::span(pieces).first(3 * RandomWeights::kLanes));
  random.fill(std::span(pieces).subspan(3 * RandomWeights::kLanes));

  CHECK(pieces == whole);
}

TEST_CASE("weights are spread evenly over their range", "[random_weights]") {
  const auto made = weights(1, 0, 100'000);
  const auto [least, most] = std::ranges::minmax(made);
  const double mean = std::accumulate(made.begin(), made.end(), 0.0) / 100'000;

  CHECK(least >= -0.05F);
  CHECK(most < 0.05F);
  CHECK(least < -0.0499F);
  CHECK(most > 0.0499F);
  CHECK(std::abs(mean) < 0.0005);
}
