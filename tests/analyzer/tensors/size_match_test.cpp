// What sizes say, for and against: blocks that look alike must not be taken for tensors.
#include "analyzer/tensors/size_match.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

using namespace tidemark::analyzer;

namespace {

constexpr std::uint64_t kNoBytes = 0;
constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10U;

/// Layers as a transformer has them: few sizes, many times; float16 in the file.
std::vector<WeightTensor> transformer(std::size_t layers) {
  std::vector<WeightTensor> tensors{{32000 * 512, 32000 * 512 * 2}};
  for (std::size_t i = 0; i < layers; ++i) {
    for (const std::uint64_t elements : {512U * 512, 128U * 512, 512U * 512, 1376U * 512, 512U}) {
      tensors.push_back({elements, elements * 2});
    }
  }
  return tensors;
}

template <typename Size>
std::vector<std::uint64_t> blocks_of(const std::vector<WeightTensor>& tensors, Size&& size) {
  std::vector<std::uint64_t> blocks;
  for (const WeightTensor& tensor : tensors) {
    blocks.push_back(size(tensor));
  }
  return blocks;
}

std::optional<SizeMatch> match(const std::vector<WeightTensor>& tensors,
                               const std::vector<std::uint64_t>& blocks) {
  return match_sizes(tensors, blocks, std::accumulate(blocks.begin(), blocks.end(), kNoBytes),
                     kMinBytes);
}

}  // namespace

TEST_CASE("blocks of the tensors' bytes hold them", "[tensors]") {
  const auto tensors = transformer(8);
  auto blocks = blocks_of(tensors, [](const WeightTensor& it) { return it.bytes + 64; });
  blocks.push_back(40'000'000);
  const auto found = match(tensors, blocks);
  REQUIRE(found);
  CHECK(found->rule == SizeRule::kSame);
  CHECK(found->tensors == 1 + 8 * 4);  // the others are small
  CHECK(found->pairs.size() == found->tensors);
  CHECK(found->is_in_order);
  CHECK(std::ranges::none_of(found->pairs,
                             [&](const auto& pair) { return pair.second == blocks.size() - 1; }));
}

TEST_CASE("so many bytes an element are told, and room for a power of two of them", "[tensors]") {
  const auto tensors = transformer(8);
  const std::uint64_t each = GENERATE(1U, 4U, 8U, 24U, 56U);
  const bool is_grown = GENERATE(false, true);
  const auto found = match(tensors, blocks_of(tensors, [&](const WeightTensor& it) {
                             return each * (is_grown ? std::bit_ceil(it.elements) : it.elements);
                           }));
  REQUIRE(found);
  CHECK(found->rule == (is_grown ? SizeRule::kGrown : SizeRule::kElements));
  CHECK(found->element_bytes == each);
  CHECK(found->elements * 2 == found->tensor_bytes);
}

TEST_CASE("the order is that of the blocks, not of equal sizes", "[tensors]") {
  const auto tensors = transformer(8);
  auto blocks = blocks_of(tensors, [](const WeightTensor& it) { return it.bytes; });
  std::ranges::reverse(blocks);
  const auto found = match(tensors, blocks);
  REQUIRE(found);
  CHECK_FALSE(found->is_in_order);
}

TEST_CASE("a part of a model that is next to all there is at the peak is told", "[tensors]") {
  const auto tensors = transformer(16);
  auto blocks = blocks_of(tensors, [](const WeightTensor& it) { return it.bytes; });
  blocks.resize(blocks.size() / 2 + 4);
  CHECK(match(tensors, blocks));
  blocks.insert(blocks.end(), 40, 9'000'000);
  CHECK_FALSE(match(tensors, blocks));  // much else: then most must be there
}

TEST_CASE("blocks of other sizes say nothing", "[tensors]") {
  const auto tensors = transformer(8);
  SECTION("as many, of sizes by chance") {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::uint64_t> size(kMinBytes, 40'000'000);
    for (int round = 0; round < 200; ++round) {
      CHECK_FALSE(
          match(tensors, blocks_of(tensors, [&](const WeightTensor&) { return size(random); })));
    }
  }
  SECTION("buffers of powers of two") {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<int> power(16, 24);
    for (int round = 0; round < 200; ++round) {
      CHECK_FALSE(match(tensors, blocks_of(tensors, [&](const WeightTensor&) {
                          return std::uint64_t{1} << power(random);
                        })));
    }
  }
  SECTION("one block for all") {
    CHECK_FALSE(match(tensors, {60'000'000}));
  }
  SECTION("a different ratio for each") {
    std::uint64_t each = 1;
    CHECK_FALSE(match(tensors, blocks_of(tensors, [&](const WeightTensor& it) {
                        each = each % 40 + 3;
                        return it.elements * each + 5000;
                      })));
  }
  SECTION("nothing") {
    CHECK_FALSE(match(tensors, {}));
    CHECK_FALSE(match({}, {kMinBytes, 2 * kMinBytes}));
  }
}

TEST_CASE("a model of a few tensors, or of one size, says nothing", "[tensors]") {
  std::vector<WeightTensor> few{{1'000'000, 4'000'000}, {500'000, 2'000'000}, {250'000, 1'000'000}};
  CHECK_FALSE(match(few, {4'000'000, 2'000'000, 1'000'000}));
  const std::vector<WeightTensor> same(100, {250'000, 1'000'000});
  CHECK_FALSE(match(same, std::vector<std::uint64_t>(100, 1'000'000)));
}

TEST_CASE(
    "two sizes are enough where they come in the order of the file, with other bytes an "
    "element",
    "[tensors]") {
  // Quantised: 34 bytes for 32 elements.
  std::vector<WeightTensor> tensors;
  for (int layer = 0; layer < 8; ++layer) {
    tensors.push_back({256 * 512, 256 * 512 / 32 * 34});
    tensors.push_back({1024 * 512, 1024 * 512 / 32 * 34});
  }
  auto blocks = blocks_of(tensors, [](const WeightTensor& it) { return it.elements * 4; });
  const auto found = match(tensors, blocks);
  REQUIRE(found);
  CHECK(found->element_bytes == 4);
  CHECK(found->pairs.size() == 16);

  SECTION("not in another order") {
    std::ranges::sort(blocks);
    CHECK_FALSE(match(tensors, blocks));
  }
  SECTION("not of the file's own sizes") {
    CHECK_FALSE(
        match(tensors, blocks_of(tensors, [](const WeightTensor& it) { return it.bytes; })));
  }
  SECTION("not of the file's own sizes, though these are so many bytes an element") {
    for (WeightTensor& tensor : tensors) {
      tensor.bytes = tensor.elements * 4;
    }
    CHECK_FALSE(match(tensors, blocks));
  }
  SECTION("not where one alone has another size") {
    for (WeightTensor& tensor : tensors) {
      tensor = tensors.front();
    }
    tensors.back() = {1024 * 512, 1024 * 512 / 32 * 34};
    CHECK_FALSE(
        match(tensors, blocks_of(tensors, [](const WeightTensor& it) { return it.elements * 4; })));
  }
  SECTION("not of fewer") {
    tensors.resize(14);
    blocks.resize(14);
    CHECK_FALSE(match(tensors, blocks));
  }
}

TEST_CASE("numbers beyond all reason do no harm", "[tensors]") {
  std::vector<WeightTensor> tensors(20, {~std::uint64_t{0}, ~std::uint64_t{0}});
  tensors.push_back({0, 0});
  CHECK_FALSE(match(tensors, {~std::uint64_t{0}, 1, kMinBytes}));
}
