#include "collector/symbols/lookup/range_index.hpp"

#include "tests/support/catch.hpp"

#include <optional>
#include <random>

using tidemark::RangeIndex;

TEST_CASE("an address finds the innermost of nested ranges", "[ranges]") {
  RangeIndex<int> index;
  index.add(20, 30, 2);
  index.add(10, 100, 1);
  index.seal();
  CHECK(*index.find(10) == 1);
  CHECK(*index.find(20) == 2);
  CHECK(*index.find(30) == 1);
  CHECK(*index.find(99) == 1);
  CHECK(index.find(100) == nullptr);
  CHECK(index.find(9) == nullptr);
}

TEST_CASE("ranges of code that the linker threw away are left out", "[ranges]") {
  RangeIndex<int> index;
  index.add(0, 100, 1);
  index.add(50, 50, 2);
  index.add(60, 55, 3);
  index.seal();
  CHECK(index.size() == 0);
  CHECK(index.find(50) == nullptr);
}

TEST_CASE("random ranges answer as a search through all of them does", "[ranges]") {
  const auto seed = GENERATE(range(1U, 20U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  RangeIndex<std::size_t> index;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::uint64_t begin = 1 + random() % 200;
    ranges.emplace_back(begin, begin + 1 + random() % 60);
    index.add(begin, ranges.back().second, i);
  }
  index.seal();
  for (std::uint64_t address = 0; address < 280; ++address) {
    std::optional<std::uint64_t> latest;
    for (const auto& [begin, end] : ranges) {
      if (begin <= address && address < end) {
        latest = std::max(latest.value_or(0), begin);
      }
    }
    const std::size_t* found = index.find(address);
    REQUIRE((found != nullptr) == latest.has_value());
    REQUIRE((found == nullptr || ranges[*found].first == *latest));
  }
}
