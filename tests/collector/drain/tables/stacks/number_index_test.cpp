#include "collector/drain/tables/stacks/number_index.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <utility>

using tidemark::NumberIndex;

TEST_CASE("a new key has no number, and an old one its own", "[number_index]") {
  NumberIndex index;
  CHECK(index.find_or_add(0, 0) == NumberIndex::kNone);
  index.find_or_add(0, 0) = 7;
  CHECK(index.find_or_add(0, 0) == 7);
  CHECK(index.find_or_add(0, 1) == NumberIndex::kNone);
  CHECK(index.find_or_add(1, 0) == NumberIndex::kNone);
}

TEST_CASE("keys are told apart by both of their words, however many there are", "[number_index]") {
  NumberIndex index;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> expected;
  std::mt19937_64 random(1);
  for (std::uint32_t i = 1; i <= 200'000; ++i) {
    const std::pair<std::uint64_t, std::uint32_t> key = {
        random() % 1000 * 4096, static_cast<std::uint32_t>(random() % 500)};
    const auto [place, is_new] = expected.try_emplace(key, i);
    std::uint32_t& number = index.find_or_add(key.first, key.second);
    if ((number == NumberIndex::kNone) != is_new)
      FAIL("key " << key.first << ", " << key.second << " has number " << number);
    if (is_new)
      number = i;
    if (number != place->second)
      FAIL("key " << key.first << ", " << key.second << " has another one's number");
  }
  CHECK(expected.size() > 100'000);
}
