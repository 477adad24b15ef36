#include "collector/drain/tables/large_blocks.hpp"

#include "tests/support/catch.hpp"

#include <optional>

using namespace tidemark;

namespace {

std::optional<trace::AllocationNumber> number_at(const LargeBlocks& blocks, std::uint64_t address) {
  const auto found = blocks.find(address);
  return found ? std::optional(found->allocation) : std::nullopt;
}

}  // namespace

TEST_CASE("every address inside a large block finds it, and none outside", "[large_blocks]") {
  LargeBlocks blocks;
  blocks.insert(0x100000, 0x20000, 7);
  blocks.insert(0x120000, 0x10000, 8);  // right behind it

  CHECK_FALSE(blocks.find(0xfffff));
  CHECK(number_at(blocks, 0x100000) == 7U);
  CHECK(number_at(blocks, 0x11ffff) == 7U);
  CHECK(number_at(blocks, 0x120000) == 8U);
  CHECK(number_at(blocks, 0x12ffff) == 8U);
  CHECK(blocks.find(0x12ffff)->begin == 0x120000);
  CHECK(blocks.find(0x12ffff)->size == 0x10000);
  CHECK_FALSE(blocks.find(0x130000));
  CHECK_FALSE(blocks.find(0));
  CHECK_FALSE(blocks.find(UINT64_MAX));
}

TEST_CASE("a large block that went is not found, and its address may come again",
          "[large_blocks]") {
  LargeBlocks blocks;
  blocks.insert(0x100000, 0x20000, 7);
  blocks.erase(0x100000, 8);  // another one's
  CHECK(number_at(blocks, 0x110000) == 7U);
  blocks.erase(0x100000, 7);
  CHECK_FALSE(blocks.find(0x110000));
  blocks.insert(0x100000, 0x10000, 9);
  CHECK(number_at(blocks, 0x10ffff) == 9U);
  CHECK_FALSE(blocks.find(0x110000));
}
