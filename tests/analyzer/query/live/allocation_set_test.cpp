#include "analyzer/query/live/allocation_set.hpp"

#include "tests/support/catch.hpp"

using tidemark::analyzer::AllocationSet;

TEST_CASE("an allocation set holds what was put in and nothing else", "[live_set]") {
  AllocationSet set;
  const std::uint64_t numbers[] = {0, 1, 63, 64, 32767, 32768, 100'000'000, 1ULL << 33, UINT64_MAX};
  for (const auto number : numbers) {
    CHECK_FALSE(set.contains(number));
    set.insert(number);
    CHECK(set.contains(number));
  }
  CHECK_FALSE(set.contains(2));
  CHECK_FALSE(set.contains(99'999'999));
  CHECK_FALSE(set.contains(UINT64_MAX - 1));
}
