#include "collector/drain/hosts/run_mark.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <optional>

using namespace tidemark;

TEST_CASE("a host that has not run is looked at once more, and then now and then", "[run_mark]") {
  constexpr std::uint64_t kMs = 1'000'000;
  RunMark mark;
  CHECK(mark.is_look_due(0, 0));  // Never looked at.
  CHECK(mark.is_look_due(100, 5 * kMs));
  CHECK(mark.is_look_due(200, 10 * kMs));
  CHECK(mark.is_look_due(200, 15 * kMs));  // What it did last may have come since.
  CHECK_FALSE(mark.is_look_due(200, 20 * kMs));
  CHECK_FALSE(mark.is_look_due(200, 15 * kMs + RunMark::kLongestNs - 1));
  CHECK(mark.is_look_due(200, 15 * kMs + RunMark::kLongestNs));
  CHECK_FALSE(mark.is_look_due(200, 45 * kMs));
  CHECK(mark.is_look_due(201, 50 * kMs));
  CHECK(mark.is_look_due(201, 55 * kMs));
  CHECK_FALSE(mark.is_look_due(201, 60 * kMs));
}

TEST_CASE("a host of which nobody knows whether it has run is looked at", "[run_mark]") {
  RunMark mark;
  for (std::uint64_t at_ns = 0; at_ns < 5; ++at_ns)
    CHECK(mark.is_look_due(std::nullopt, at_ns));
}
