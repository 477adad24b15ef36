#include "collector/drain/tables/mapping_table.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <random>

using namespace tidemark;
using Kind = Mapping::Kind;

namespace {

Mapping stretch(std::uint64_t begin, std::uint64_t end, std::uint64_t allocation) {
  Mapping mapping;
  mapping.begin = begin;
  mapping.end = end;
  mapping.kind = Kind::kAnon;
  mapping.allocation = allocation;
  return mapping;
}

}  // namespace

TEST_CASE("a mapping taken whole is still whole", "[mapping_table]") {
  MappingTable table;
  table.insert(stretch(100, 200, 1));
  const auto taken = table.take(0, 1000);
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].begin == 100);
  CHECK(taken[0].end == 200);
  CHECK(taken[0].whole);
  CHECK(table.size() == 0);
}

TEST_CASE("an address finds the stretch that it lies in", "[mapping_table]") {
  MappingTable table;
  table.insert(stretch(100, 200, 1));
  table.insert(stretch(200, 300, 2));
  CHECK(table.find(99) == nullptr);
  REQUIRE(table.find(100) != nullptr);
  CHECK(table.find(199)->allocation == 1);
  CHECK(table.find(200)->allocation == 2);
  CHECK(table.find(300) == nullptr);
}

TEST_CASE("what is cut from a mapping, and what is left of it, is not whole", "[mapping_table]") {
  MappingTable table;
  table.insert(stretch(100, 200, 1));
  const auto middle = table.take(130, 150);
  REQUIRE(middle.size() == 1);
  CHECK_FALSE(middle[0].whole);
  CHECK(middle[0].bytes() == 20);
  CHECK(table.size() == 2);
  for (const Mapping& left : table.take(0, 1000))
    CHECK_FALSE(left.whole);
}

TEST_CASE("an empty range takes nothing and cuts nothing", "[mapping_table]") {
  MappingTable table;
  table.insert(stretch(100, 200, 1));
  CHECK(table.take(150, 150).empty());
  CHECK(table.take(180, 120).empty());
  CHECK(table.take(100, 200).at(0).whole);
}

TEST_CASE("a mapping table is a map of bytes, whatever is done to it", "[mapping_table]") {
  constexpr std::size_t kBytes = 256;
  const auto seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  MappingTable table;
  std::array<std::uint64_t, kBytes> model{};  // 0: free
  for (std::uint64_t step = 1; step < 2000; ++step) {
    std::uint64_t begin = random() % kBytes;
    std::uint64_t end = random() % (kBytes + 1);
    if (begin > end)
      std::swap(begin, end);
    std::uint64_t at = begin;
    for (const Mapping& taken : table.take(begin, end)) {
      REQUIRE(taken.begin >= at);
      for (; at < taken.begin; ++at)
        REQUIRE(model[at] == 0);
      REQUIRE(taken.end <= end);
      for (; at < taken.end; ++at)
        REQUIRE(model[at] == taken.allocation);
    }
    for (; at < end; ++at)
      REQUIRE(model[at] == 0);
    std::fill(model.begin() + static_cast<std::ptrdiff_t>(begin),
              model.begin() + static_cast<std::ptrdiff_t>(end), 0);
    if (random() % 3 != 0) {
      table.insert(stretch(begin, end, step));
      std::fill(model.begin() + static_cast<std::ptrdiff_t>(begin),
                model.begin() + static_cast<std::ptrdiff_t>(end), step);
    }
    REQUIRE(table.check_invariants());
  }
}
