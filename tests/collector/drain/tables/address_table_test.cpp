#include "collector/drain/tables/address_table.hpp"

#include "collector/trace/types/event.hpp"
#include "tests/support/catch.hpp"

#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

using namespace tidemark;

namespace {

/// The table under test, in the shape of a map.
class Table {
 public:
  std::optional<LiveBlock> insert(std::uint64_t address, const LiveBlock& block) {
    LiveBlock before;
    return table_.insert(address, block, before) ? std::optional(before) : std::nullopt;
  }
  std::optional<LiveBlock> take(std::uint64_t address) {
    LiveBlock taken;
    return table_.take(address, taken) ? std::optional(taken) : std::nullopt;
  }
  [[nodiscard]] std::size_t size() const { return table_.size(); }

 private:
  AddressTable table_;
};

bool is_same(const LiveBlock& one, const LiveBlock& other) {
  return one.allocation == other.allocation && one.size == other.size;
}

}  // namespace

TEST_CASE("an address table knows where it has blocks", "[address_table]") {
  const bool is_huge = GENERATE(false, true);  // Those are not kept by page.
  CAPTURE(is_huge);
  constexpr std::uint64_t kAddress = 0x7f00'0123'8000;
  AddressTable table;
  CHECK_FALSE(table.may_have_in(0, ~std::uint64_t{0}));
  LiveBlock block;
  const std::uint64_t size = is_huge ? std::uint64_t{1} << 30 : 100;
  for (std::uint64_t i = 0; i < (is_huge ? 1 : 100); ++i)
    table.insert(kAddress + i * 16, {i, size}, block);
  CHECK(table.may_have_in(kAddress, kAddress + 0x1000));
  CHECK(table.may_have_in(0, ~std::uint64_t{0}));
  CHECK(table.may_have_in(kAddress - 0x10'0000, kAddress + 1));
  CHECK_FALSE(table.may_have_in(kAddress, kAddress));
  CHECK_FALSE(table.may_have_in(kAddress - 0x10'0000, kAddress));
  CHECK_FALSE(table.may_have_in(kAddress + 0x4000, kAddress + 0x4000'0000));
  for (std::uint64_t i = 0; i < (is_huge ? 1 : 100); ++i)
    table.take(kAddress + i * 16, block);
  CHECK_FALSE(table.may_have_in(kAddress, kAddress + 0x1000));
}

TEST_CASE("an address table knows where blocks other than the known ones have been",
          "[address_table]") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kAddress = 0x7f00'0000'0000;
  AddressTable table;
  CHECK_FALSE(table.has_had_others_in(kAddress, kAddress + kMiB, {}));
  LiveBlock block;
  std::vector<std::uint64_t> known;
  for (std::uint64_t i = 0; i < 12; ++i) {  // three in each MiB
    known.push_back(kAddress + i / 3 * kMiB + i % 3 * kMiB / 4 + 16);
    table.insert(known.back(), {i, kMiB / 8}, block);
  }
  const std::uint64_t end = kAddress + 4 * kMiB;
  CHECK_FALSE(table.has_had_others_in(kAddress, end, known));
  CHECK_FALSE(table.has_had_others_in(end, end + 100 * kMiB, known));
  CHECK_FALSE(table.has_had_others_in(kAddress - kMiB, kAddress, {}));
  CHECK(table.has_had_others_in(kAddress, end, {}));
  CHECK(table.has_had_others_in(kAddress, end, std::span(known).first(11)));
  CHECK(table.has_had_others_in(kAddress, end, std::span(known).last(11)));
  CHECK_FALSE(table.has_had_others_in(kAddress, kAddress + kMiB, std::span(known).first(3)));
  table.insert(kAddress + 2 * kMiB + 160, {20, 100}, block);
  CHECK(table.has_had_others_in(kAddress, end, known));
  CHECK_FALSE(table.has_had_others_in(kAddress, kAddress + 2 * kMiB, std::span(known).first(6)));
}

TEST_CASE("an address table gives back what it was given, once", "[address_table]") {
  Table table;
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
  Table table;
  table.insert(0x1000, {1, 10});
  const auto before = table.insert(0x1000, {2, 20});
  REQUIRE(before);
  CHECK(before->allocation == 1);
  CHECK(table.size() == 1);
  CHECK(table.take(0x1000)->allocation == 2);
}

TEST_CASE("address 0 is never in an address table", "[address_table]") {
  Table table;
  table.insert(0, {1, 10});
  CHECK(table.size() == 0);
  CHECK_FALSE(table.take(0));
}

TEST_CASE("an address table is a map, whatever is done to it", "[address_table]") {
  const auto seed = GENERATE(range(1U, 7U));
  // A part of a page, some pages, or a heap's worth.
  const auto spread = GENERATE(std::uint64_t{256}, std::uint64_t{1} << 16, std::uint64_t{1} << 28);
  // What allocators promise, and what none does.
  const auto alignment = GENERATE(std::uint64_t{16}, std::uint64_t{8});
  CAPTURE(seed, spread, alignment);
  // From a byte to more than any page has room for; numbers also where they take up all bits.
  const std::uint64_t first = seed % 2 == 0 ? 0 : (std::uint64_t{1} << 40) - 50'000;
  const auto some_size = [](std::mt19937_64& random) {
    return random() >> (64 - random() % 40 - 1);
  };
  std::mt19937_64 random(seed);
  Table table;
  std::unordered_map<std::uint64_t, LiveBlock> model;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t address = 0x7f0000000000 + random() % spread / alignment * alignment;
    // Long spells of growth, then of shrinking.
    if (random() % 10 < (i / 20'000 % 2 == 0 ? 7U : 2U)) {
      const auto known = model.find(address);
      const LiveBlock block{random() % 50 == 0 ? trace::kNoAllocation : first + i,
                            some_size(random)};
      const auto before = table.insert(address, block);
      if (before.has_value() != (known != model.end()))
        FAIL((before ? "a block stood there that nobody put" : "a block was not there any more"));
      if (before && !is_same(*before, known->second))
        FAIL("another block stood there");
      model[address] = block;
    } else {
      const auto known = model.find(address);
      const auto taken = table.take(address);
      if (taken.has_value() != (known != model.end()))
        FAIL((taken ? "a block was taken that nobody put" : "a block was not there any more"));
      if (taken) {
        if (!is_same(*taken, known->second))
          FAIL("another block was taken");
        model.erase(known);
      }
    }
    if (table.size() != model.size())
      FAIL("size " << table.size() << " instead of " << model.size());
  }
  for (const auto& [address, block] : model) {
    const auto taken = table.take(address);
    if (!taken || !is_same(*taken, block))
      FAIL("a block was lost");
  }
  CHECK(table.size() == 0);
}

TEST_CASE("small and large blocks take each other's address over", "[address_table]") {
  Table table;
  table.insert(0x1000, {1, 10});
  CHECK(table.insert(0x1000, {2, 1 << 20})->allocation == 1);
  CHECK(table.insert(0x1000, {3, 30})->size == 1 << 20);
  CHECK(table.size() == 1);
  CHECK(table.take(0x1000)->allocation == 3);
  CHECK(table.size() == 0);
}

TEST_CASE("a page whose blocks come closer together keeps them", "[address_table]") {
  Table table;
  std::uint64_t number = 0;
  for (const std::uint64_t step : {1024U, 512U, 256U, 128U, 64U, 32U, 16U}) {
    for (std::uint64_t at = 0; at < 4096; at += step)
      table.insert(0x7000 + at, {++number, step - 8});
    CHECK(table.size() == 4096 / step);
  }
  for (std::uint64_t at = 0; at < 4096; at += 16) {
    const auto block = table.take(0x7000 + at);
    REQUIRE(block);
    CHECK(block->allocation == number - 255 + at / 16);
  }
  CHECK(table.size() == 0);
}

TEST_CASE("blocks that came before a place was busy are found when it is", "[address_table]") {
  Table table;
  constexpr std::uint64_t kPlace = 0x7f00'0000'0000;
  // Small and large ones that stay, one that is too large for a page, and one at an odd address.
  for (std::uint64_t i = 0; i < 40; ++i)
    table.insert(kPlace + i * 0x4000, {i, i % 2 == 0 ? 24U : 10'000U});
  table.insert(kPlace + 0x2000, {1'000, std::uint64_t{1} << 30});
  table.insert(kPlace + 0x2108, {1'001, 24});
  // Few at one time, but many.
  for (std::uint64_t i = 0; i < 100; ++i) {
    REQUIRE_FALSE(table.insert(kPlace + 0x100, {5'000 + i, 64}));
    REQUIRE(table.take(kPlace + 0x100)->allocation == 5'000 + i);
  }
  CHECK(table.size() == 42);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto block = table.take(kPlace + i * 0x4000);
    REQUIRE(block);
    CHECK(block->allocation == i);
    CHECK(block->size == (i % 2 == 0 ? 24 : 10'000));
  }
  CHECK(table.take(kPlace + 0x2000)->size == std::uint64_t{1} << 30);
  CHECK(table.take(kPlace + 0x2108)->allocation == 1'001);
  CHECK(table.size() == 0);
}

TEST_CASE("blocks that are far from each other are found, first ones and later ones",
          "[address_table]") {
  Table table;
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    for (std::uint64_t region = 1; region <= 200; ++region)
      table.insert(region * 7 * kMiB + i * 4096, {region * 100 + i, 24});
  }
  CHECK(table.size() == 8'000);
  for (std::uint64_t region = 1; region <= 200; ++region) {
    for (std::uint64_t i = 1; i <= 40; ++i) {
      const auto block = table.take(region * 7 * kMiB + i * 4096);
      REQUIRE(block);
      CHECK(block->allocation == region * 100 + i);
    }
  }
  CHECK(table.size() == 0);
}
