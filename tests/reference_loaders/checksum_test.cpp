#include "reference_loaders/checksum.hpp"

#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <xxhash.h>

#include <array>

using namespace tidemark::loaders;

namespace {

constexpr std::array<std::int64_t, 2> kShape = {1, 3};
constexpr std::array<std::int64_t, 2> kOtherShape = {3, 1};
constexpr std::array kBytes = {std::byte{1}, std::byte{2}, std::byte{3}};
constexpr std::array kOtherBytes = {std::byte{1}, std::byte{2}, std::byte{4}};

TensorView tensor(std::string_view name) {
  return {name, "int8", kShape, kBytes};
}

}  // namespace

TEST_CASE("the checksum is XXH3 over the fields as documented", "[checksum]") {
  const std::string fields = test::from_hex(R"(
      0100000000000000 61
      0400000000000000 696e7438
      0200000000000000 0100000000000000 0300000000000000
      0300000000000000 010203)");

  CHECK(checksum({tensor("a")}) == XXH3_64bits(fields.data(), fields.size()));
}

TEST_CASE("the order of loading does not change the checksum", "[checksum]") {
  CHECK(checksum({tensor("b"), tensor("a")}) == checksum({tensor("a"), tensor("b")}));
}

TEST_CASE("every property of a tensor changes the checksum", "[checksum]") {
  const auto whole = checksum({tensor("a")});

  CHECK(checksum({}) != whole);
  CHECK(checksum({tensor("b")}) != whole);
  CHECK(checksum({tensor("a"), tensor("b")}) != whole);
  CHECK(checksum({{"a", "uint8", kShape, kBytes}}) != whole);
  CHECK(checksum({{"a", "int8", kOtherShape, kBytes}}) != whole);
  CHECK(checksum({{"a", "int8", kShape, kOtherBytes}}) != whole);
}
