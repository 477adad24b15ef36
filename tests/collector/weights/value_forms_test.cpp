// Floats of one type as another one, against what the compiler and IEEE 754 say of them.
#include "collector/weights/value_forms.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace tidemark;
using weights::ValueForm;

namespace {

template <typename To, typename From>
To converted(const char* type, From value, ValueForm form) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof value>>(value);
  const auto result = weights::convert(type, bytes, form);
  REQUIRE(result.size() == sizeof(To));
  To to;
  std::memcpy(&to, result.data(), sizeof to);
  return to;
}

std::uint16_t half_of(float value) {
  return converted<std::uint16_t>("f32", value, ValueForm::kF16);
}

/// By its definition: sign, exponent and fraction.
double half_value(std::uint16_t half) {
  const double sign = (half & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (half >> 10U) & 31;
  const int fraction = half & 0x3ff;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

bool is_finite_half(unsigned half) {
  return ((half >> 10U) & 31U) != 31;
}

}  // namespace

TEST_CASE("every half is the number that it stands for, and comes back from it", "[weights]") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto value = converted<float>("f16", half, ValueForm::kF32);
    if (is_finite_half(bits)) {
      REQUIRE(static_cast<double>(value) == half_value(half));
      REQUIRE(std::signbit(value) == (bits >= 0x8000));
      REQUIRE(half_of(value) == half);
    } else if ((bits & 0x3ffU) == 0) {
      REQUIRE(std::isinf(value));
      REQUIRE(half_of(value) == half);
    } else {
      REQUIRE(std::isnan(value));
    }
  }
}

TEST_CASE("between two halves the nearer one is taken, of two as near the even one", "[weights]") {
  for (unsigned bits = 0; bits + 1 < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const double middle = (half_value(half) + half_value(next)) / 2;
    const auto tie = static_cast<float>(middle);
    REQUIRE(static_cast<double>(tie) == middle);
    REQUIRE(half_of(tie) == (bits % 2 == 0 ? half : next));
    REQUIRE(half_of(std::nextafter(tie, 0.0F)) == half);
    REQUIRE(half_of(std::nextafter(tie, 1e9F)) == next);
  }
  CHECK(half_of(65519.996F) == 0x7bff);
  CHECK(half_of(65520.0F) == 0x7c00);
  CHECK(half_of(-1e30F) == 0xfc00);
  CHECK(half_of(0.0F) == 0);
  CHECK(half_of(1e-10F) == 0);
}

TEST_CASE("bfloat16 is a float's upper half, rounded or cut", "[weights]") {
  const auto rounded = [](std::uint32_t bits) {
    return converted<std::uint16_t>("f32", bits, ValueForm::kBf16);
  };
  CHECK(rounded(0x3f800000) == 0x3f80);
  CHECK(rounded(0x3f808000) == 0x3f80);  // a tie, to even
  CHECK(rounded(0x3f818000) == 0x3f82);
  CHECK(rounded(0x3f808001) == 0x3f81);
  CHECK(rounded(0x7f7fffff) == 0x7f80);
  CHECK(rounded(0x7f800001) == 0x7fc0);  // stays no number
  CHECK(converted<std::uint16_t>("f32", std::uint32_t{0x3f80ffff}, ValueForm::kBf16Cut) == 0x3f80);
  CHECK(converted<std::uint32_t>("bf16", std::uint16_t{0x3f81}, ValueForm::kF32) == 0x3f810000);
}

TEST_CASE("wider types have the very value, and narrower ones the nearest", "[weights]") {
  CHECK(converted<double>("f32", 0.1F, ValueForm::kF64) == static_cast<double>(0.1F));
  CHECK(converted<float>("f64", 0.1, ValueForm::kF32) == 0.1F);
  CHECK(converted<double>("f16", std::uint16_t{0x3c01}, ValueForm::kF64) == 1 + 1.0 / 1024);
  CHECK(converted<double>("bf16", std::uint16_t{0x3f80}, ValueForm::kF64) == 1.0);
}

TEST_CASE("other types are not converted", "[weights]") {
  const std::vector<std::byte> bytes(64);
  CHECK(weights::other_forms("i8").empty());
  CHECK(weights::other_forms("q4_k").empty());
  CHECK(weights::convert("i32", bytes, ValueForm::kF32).empty());
  CHECK(weights::convert("f32", std::span(bytes).first(7), ValueForm::kF64).size() == 8);
}
