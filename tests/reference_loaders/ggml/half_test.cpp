#include "reference_loaders/ggml/half.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace tidemark::loaders::ggml;

namespace {

std::uint16_t half_of(float value) {
  std::array<std::uint16_t, 1> half{};
  to_half(std::array{value}, half);
  return half[0];
}

float float_of(std::uint16_t half) {
  std::array<float, 1> value{};
  to_float(std::array{half}, value);
  return value[0];
}

}  // namespace

TEST_CASE("every half becomes a float and the same half again", "[half]") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const bool is_nan = (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0;
    wrong += is_nan ? !std::isnan(float_of(half)) : half_of(float_of(half)) != half;
  }
  CHECK(wrong == 0);
}

TEST_CASE("halfs have the values of IEEE 754", "[half]") {
  CHECK(float_of(0x3c00) == 1.0F);
  CHECK(float_of(0xc000) == -2.0F);
  CHECK(float_of(0x7bff) == 65504.0F);
  CHECK(float_of(0x0400) == 0x1p-14F);
  CHECK(float_of(0x0001) == 0x1p-24F);
  CHECK(float_of(0x7c00) == std::numeric_limits<float>::infinity());
}

TEST_CASE("what lies between two halfs is rounded to the nearer, ties to even", "[half]") {
  CHECK(half_of(1.0F + 0x1p-11F) == 0x3c00);
  CHECK(half_of(1.0F + 0x1p-11F + 0x1p-20F) == 0x3c01);
  CHECK(half_of(1.0F + 0x3p-11F) == 0x3c02);
  CHECK(half_of(65519.0F) == 0x7bff);
  CHECK(half_of(65520.0F) == 0x7c00);
  CHECK(half_of(1e9F) == 0x7c00);
  CHECK(half_of(0x1p-25F) == 0x0000);
  CHECK(half_of(0x1.8p-25F) == 0x0001);
  CHECK(half_of(-0.0F) == 0x8000);
}
