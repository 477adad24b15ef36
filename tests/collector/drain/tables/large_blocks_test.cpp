#include "collector/drain/tables/large_blocks.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;

TEST_CASE("every address inside a large block finds it, and none outside", "[large_blocks]") {
  LargeBlocks blocks;
  blocks.insert(0x100000, 0x20000, 7);
  blocks.insert(0x120000, 0x10000, 8);  // right behind it

  CHECK_FALSE(blocks.find(0xfffff));
  CHECK(blocks.find(0x100000) == 7U);
  CHECK(blocks.find(0x11ffff) == 7U);
  CHECK(blocks.find(0x120000) == 8U);
  CHECK(blocks.find(0x12ffff) == 8U);
  CHECK_FALSE(blocks.find(0x130000));
  CHECK_FALSE(blocks.find(0));
  CHECK_FALSE(blocks.find(UINT64_MAX));
}

TEST_CASE("a large block that went is not found, and its address may come again",
          "[large_blocks]") {
  LargeBlocks blocks;
  blocks.insert(0x100000, 0x20000, 7);
  blocks.erase(0x100000, 8);  // another one's
  CHECK(blocks.find(0x110000) == 7U);
  blocks.erase(0x100000, 7);
  CHECK_FALSE(blocks.find(0x110000));
  blocks.insert(0x100000, 0x10000, 9);
  CHECK(blocks.find(0x10ffff) == 9U);
  CHECK_FALSE(blocks.find(0x110000));
}
