#include "collector/drain/stack_numbers.hpp"

#include <catch2/catch.hpp>

using tidemark::StackNumbers;

TEST_CASE("a pair keeps the number that it got first") {
  StackNumbers numbers;
  CHECK(numbers.find_or_add(0, 0, 1) == 1);
  CHECK(numbers.find_or_add(0, 7, 2) == 2);
  CHECK(numbers.find_or_add(7, 0, 3) == 3);
  CHECK(numbers.find_or_add(0, 0, 4) == 1);
  CHECK(numbers.find_or_add(0, 7, 4) == 2);
}

TEST_CASE("many pairs are found again after the table has grown") {
  constexpr std::uint32_t kPairs = 100'000;
  StackNumbers numbers;
  for (std::uint32_t i = 0; i < kPairs; ++i)
    REQUIRE(numbers.find_or_add(i / 3, i % 1000, i + 1) == i + 1);
  for (std::uint32_t i = 0; i < kPairs; ++i)
    REQUIRE(numbers.find_or_add(i / 3, i % 1000, 0) == i + 1);
}
