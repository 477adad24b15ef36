#include "collector/family/members/life_bound.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

}  // namespace

TEST_CASE("what nobody looked at had no more than can be written in its time", "[life_bound]") {
  const LifeBound life(10 * kMs);
  CHECK(life.from_ns() == 10 * kMs);
  CHECK(life.most_bytes(10 * kMs) == 0);
  CHECK(life.most_bytes(13 * kMs) == most_written_in(3 * kMs));
  CHECK(most_written_in(kMs) >= 16 * kMiB);
  CHECK(life.most_bytes(UINT64_MAX) == UINT64_MAX);
  CHECK(life.most_bytes(5 * kMs) == 0);
}

TEST_CASE("what was looked at had what was seen, and what can have come since", "[life_bound]") {
  LifeBound life(10 * kMs);
  life.see(500 * kMs, 300 * kMiB);
  CHECK(life.most_bytes(500 * kMs) >= 300 * kMiB);
  // The kernel's mark may be some pages late.
  CHECK(life.most_bytes(500 * kMs) <= 301 * kMiB);
  CHECK(life.most_bytes(501 * kMs) == life.most_bytes(500 * kMs) + most_written_in(kMs));
}
