// Packed types against gguf-py 0.19.0 of llama.cpp, whose float32 they are to the bit.
#include "collector/weights/packed_types.hpp"

#include "tests/support/catch.hpp"

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

using namespace tidemark;

namespace {

/// What `gguf.quants.dequantize` makes of a block with pseudo_random_bytes.
struct Dequantized {
  const char* word;
  std::uint32_t seed;
  std::size_t block_bytes;
  std::size_t block_elements;
  float first;
  float last;
  std::uint64_t hash;  ///< FNV-1a of all values' bytes.
};

const std::vector<Dequantized> kDequantized{
    {"q4_0", 1, 18, 32, -0x1.5d2p+11F, -0x1.2b4p+10F, 0x254d6f1d5bb46bbcU},
    {"q4_1", 1, 20, 32, 0x1.2b3b8p+12F, 0x1.8ef6fep+11F, 0xb4aab3a204098117U},
    {"q5_0", 1, 22, 32, 0x1.2b4p+11F, -0x1.761p+12F, 0xf13923c625ad04c3U},
    {"q5_1", 1, 24, 32, 0x1.8eedfcp+10F, 0x1.05d5cp+13F, 0x11be20c81b804899U},
    {"q8_0", 1, 34, 32, -0x1.8be2p+15F, -0x1.f2cp+10F, 0x3a9c465f3b730abbU},
    {"q2_k", 1, 84, 256, -0x1.09bp-10F, -0x1.eab7p-6F, 0x501190af558b878aU},
    {"q3_k", 1, 110, 256, -0x1.b858p+6F, -0x1.1b14p+9F, 0x0d5582f48fb86748U},
    {"q4_k", 1, 144, 256, 0x1.c0e24p+15F, 0x1.2d9adcp+17F, 0x79930def648a3594U},
    {"q5_k", 1, 176, 256, 0x1.05da4p+15F, 0x1.4f21bap+16F, 0xe375af0951ed54f1U},
    {"q6_k", 2, 210, 256, 0x1.b1fcp+8F, -0x1.a7228p+8F, 0xf0a0268171074ff6U},
    {"iq4_nl", 1, 18, 32, -0x1.443p+15F, -0x1.b468p+13F, 0x37654eee0dd9d183U},
    {"iq4_xs", 1, 136, 256, 0x1.317cp+16F, 0x1.d9dp+16F, 0x7afde734a4fda091U},
    {"mxfp4", 1, 17, 32, -0x1p-65F, -0x1.8p-66F, 0x30069177bf8d4ddbU}};

/// The upper bytes of x = 1,664,525 x + 1,013,904,223 mod 2^32, from the seed on.
std::vector<std::byte> pseudo_random_bytes(std::uint32_t seed, std::size_t count) {
  std::vector<std::byte> bytes;
  for (std::uint32_t x = seed; bytes.size() < count;) {
    x = x * 1'664'525U + 1'013'904'223U;
    bytes.push_back(static_cast<std::byte>(x >> 24U));
  }
  return bytes;
}

std::uint64_t hash_of(const std::vector<float>& values) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const std::byte byte : std::as_bytes(std::span(values)))
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1'099'511'628'211U;
  return hash;
}

}  // namespace

TEST_CASE("values of packed types are those of gguf-py, to the bit", "[weights]") {
  for (const Dequantized& expected : kDequantized) {
    CAPTURE(expected.word);
    const weights::PackedType* type = weights::packed_type(expected.word);
    REQUIRE(type != nullptr);
    REQUIRE(type->block_bytes == expected.block_bytes);
    REQUIRE(type->block_elements == expected.block_elements);
    const auto block = pseudo_random_bytes(expected.seed, type->block_bytes);
    std::vector<float> values(type->block_elements);
    type->unpack(block.data(), values.data());
    CHECK(std::bit_cast<std::uint32_t>(values.front()) ==
          std::bit_cast<std::uint32_t>(expected.first));
    CHECK(std::bit_cast<std::uint32_t>(values.back()) ==
          std::bit_cast<std::uint32_t>(expected.last));
    CHECK(hash_of(values) == expected.hash);
  }
}

TEST_CASE("types of float, of whole numbers and with grids are no packed types here", "[weights]") {
  for (const char* word : {"f32", "i8", "iq2_xxs", "tq1_0", ""}) {
    CAPTURE(word);
    CHECK(weights::packed_type(word) == nullptr);
  }
}
