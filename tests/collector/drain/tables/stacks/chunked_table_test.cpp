#include "collector/drain/tables/stacks/chunked_table.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <map>
#include <random>

using tidemark::ChunkedTable;

TEST_CASE("an entry is empty until it is set, wherever it is", "[chunked_table]") {
  ChunkedTable<std::uint64_t, 8> table;
  CHECK(table[1'000'000] == 0);
  table[7] = 70;
  table[8] = 80;
  CHECK(table[7] == 70);
  CHECK(table[8] == 80);
  CHECK(table[9] == 0);
}

TEST_CASE("an entry stays where it is while the table grows", "[chunked_table]") {
  ChunkedTable<std::uint64_t, 8> table;
  std::map<std::uint32_t, std::uint64_t*> places;
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto number = static_cast<std::uint32_t>(random() % 100'000);
    places.try_emplace(number, &table[number]);
    table[number] = number + 1;
  }
  for (const auto& [number, place] : places) {
    if (&table[number] != place || *place != number + 1)
      FAIL("entry " << number << " has moved, or is another one's");
  }
  CHECK(places.size() > 5'000);
}
