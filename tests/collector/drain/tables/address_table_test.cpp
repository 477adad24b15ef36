#include "collector/drain/tables/address_table.hpp"

#include "tests/support/catch.hpp"

#include <random>
#include <unordered_map>
#include <vector>

using namespace tidemark;

TEST_CASE("an address table gives back what it was given, once", "[address_table]") {
  AddressTable table;
  CHECK_FALSE(table.take(0x1000));
  CHECK_FALSE(table.insert(0x1000, {7, 100}));
  CHECK(table.size() == 1);
  const auto block = table.take(0x1000);
  REQUIRE(block);
  CHECK(block->allocation == 7);
  CHECK(block->size == 100);
  CHECK_FALSE(table.take(0x1000));
  CHECK(table.size() == 0);
}

TEST_CASE("an address table returns what stood under an address before", "[address_table]") {
  AddressTable table;
  table.insert(0x1000, {1, 10});
  const auto before = table.insert(0x1000, {2, 20});
  REQUIRE(before);
  CHECK(before->allocation == 1);
  CHECK(table.size() == 1);
  CHECK(table.take(0x1000)->allocation == 2);
}

TEST_CASE("address 0 is never in an address table", "[address_table]") {
  AddressTable table;
  table.insert(0, {1, 10});
  CHECK(table.size() == 0);
  CHECK_FALSE(table.take(0));
}

TEST_CASE("an address table is a map, whatever is done to it", "[address_table]") {
  const auto seed = GENERATE(range(1U, 7U));
  // Neighbours collide: all low bits, one page, or a heap's worth.
  const auto spread = GENERATE(std::uint64_t{16}, std::uint64_t{4096}, std::uint64_t{1} << 24);
  CAPTURE(seed, spread);
  std::mt19937_64 random(seed);
  AddressTable table;
  std::unordered_map<std::uint64_t, LiveBlock> model;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t address = 0x7f0000000000 + random() % spread;
    // Long spells of growth, then of shrinking.
    if (random() % 10 < (i / 20'000 % 2 == 0 ? 7U : 2U)) {
      const auto known = model.find(address);
      const auto before = table.insert(address, {i, random()});
      REQUIRE(before.has_value() == (known != model.end()));
      if (before && before->allocation != known->second.allocation)
        FAIL("another block stood there");
      model[address] = {i, 0};
    } else {
      const auto known = model.find(address);
      const auto taken = table.take(address);
      REQUIRE(taken.has_value() == (known != model.end()));
      if (taken) {
        if (taken->allocation != known->second.allocation)
          FAIL("another block was taken");
        model.erase(known);
      }
    }
    if (table.size() != model.size())
      FAIL("size " << table.size() << " instead of " << model.size());
  }
  for (const auto& [address, block] : model) {
    const auto taken = table.take(address);
    if (!taken || taken->allocation != block.allocation)
      FAIL("a block was lost");
  }
  CHECK(table.size() == 0);
}
