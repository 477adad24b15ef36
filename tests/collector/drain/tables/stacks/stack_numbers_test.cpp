#include "collector/drain/tables/stacks/stack_numbers.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>

using tidemark::StackNumbers;

TEST_CASE("a pair keeps the number that it got first") {
  StackNumbers numbers;
  CHECK(numbers.last() == 0);
  CHECK(numbers.find_or_add(0, 0) == 1);
  CHECK(numbers.find_or_add(0, 7) == 2);
  CHECK(numbers.find_or_add(2, 0) == 3);
  CHECK(numbers.find_or_add(0, 0) == 1);
  CHECK(numbers.find_or_add(0, 7) == 2);
  CHECK(numbers.find_or_add(2, 0) == 3);
  CHECK(numbers.last() == 3);
}

TEST_CASE("wide and narrow stacks alike get numbers in order, and are found again") {
  const auto seed = GENERATE(range(1U, 4U));
  CAPTURE(seed);
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  StackNumbers numbers;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    // Half of all hang on the first few: those outgrow their lists and go to the index.
    const std::uint32_t bound = random() % 2 == 0 ? 8 : numbers.last() + 1;
    const std::uint32_t parent = random() % std::min(bound, numbers.last() + 1);
    const std::uint32_t frame = random() % 20'000;
    const auto next = static_cast<std::uint32_t>(expected.size() + 1);
    const auto [place, is_new] = expected.try_emplace({parent, frame}, next);
    if (numbers.find_or_add(parent, frame) != place->second)
      FAIL("pair " << parent << ", " << frame << " is not number " << place->second);
    if (numbers.last() != expected.size())
      FAIL(numbers.last() << " numbers for " << expected.size() << " pairs");
  }
  CHECK(expected.size() > 100'000);
}
