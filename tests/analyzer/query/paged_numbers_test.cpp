#include "analyzer/query/paged_numbers.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>

using tidemark::analyzer::PagedNumbers;

TEST_CASE("a number is found by its id, on whichever page that is", "[paged_numbers]") {
  PagedNumbers numbers;
  for (const std::uint32_t id : {0U, 64U, 4095U, 4096U, 1'000'000U, UINT32_MAX}) {
    CAPTURE(id);
    CHECK(numbers[id] == 0);
    numbers[id] = id / 2 + 1;
  }
  CHECK(numbers[0] == 1);
  CHECK(numbers[4095] == 2048);
  CHECK(numbers[4096] == 2049);
  CHECK(numbers[4097] == 0);
  CHECK(numbers[UINT32_MAX] == UINT32_MAX / 2 + 1);
}
