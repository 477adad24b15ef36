#include "collector/drain/tables/large_blocks.hpp"

#include "tests/support/catch.hpp"

#include <optional>
#include <vector>

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

TEST_CASE("large blocks that begin in a range are visited, by address", "[large_blocks]") {
  LargeBlocks blocks;
  for (const std::uint64_t address : {0x300000U, 0x100000U, 0x200000U})
    blocks.insert(address, 0x20000, address);
  std::vector<std::uint64_t> seen;
  blocks.visit_in(0x100001, 0x300001, [&](std::uint64_t address, const LargeBlocks::Block& block) {
    CHECK(block.allocation == address);
    seen.push_back(address);
  });
  CHECK(seen == std::vector<std::uint64_t>{0x200000, 0x300000});
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

TEST_CASE("of large blocks that are watched it is known when they went", "[large_blocks]") {
  constexpr std::uint64_t kLookedNs = 1'000;
  LargeBlocks blocks;
  for (std::uint64_t i = 0; i < 4; ++i)
    blocks.insert(i << 20U, 0x20000, i);
  blocks.watch_looked(kLookedNs);
  blocks.visit_all([](std::uint64_t, LargeBlocks::Block& block) {
    block.looked_ns = block.allocation == 3 ? 0 : kLookedNs;
  });
  for (std::uint64_t i = 1; i < 4; ++i)
    blocks.release(i << 20U, i, kLookedNs + 100 * i);
  blocks.release(0, 9, kLookedNs + 500);  // another one's
  CHECK(blocks.was_there(0, 0, kLookedNs + 1000));
  CHECK_FALSE(blocks.was_there(1 << 20U, 1, kLookedNs + 150));
  CHECK(blocks.was_there(2 << 20U, 2, kLookedNs + 150));
  CHECK_FALSE(blocks.was_there(3 << 20U, 3, kLookedNs + 150));
  CHECK_FALSE(blocks.find(2 << 20U));
  blocks.watch_looked(2 * kLookedNs);
  CHECK_FALSE(blocks.was_there(2 << 20U, 2, kLookedNs + 150));
}
