#include "collector/drain/tables/page_ranges.hpp"

#include "tests/support/catch.hpp"

#include <random>
#include <set>

using namespace tidemark;

using Ranges = std::vector<PageRange>;

TEST_CASE("ranges that overlap or touch become one", "[tables]") {
  PageRanges pages;
  CHECK(pages.add({10, 20}) == 10);
  CHECK(pages.add({30, 40}) == 10);
  CHECK(pages.add({15, 30}) == 10);
  CHECK(pages.all() == Ranges{{10, 40}});
  CHECK(pages.add({10, 40}) == 0);
}

TEST_CASE("what is asked for is cut to what is asked", "[tables]") {
  PageRanges pages;
  pages.add({10, 20});
  pages.add({30, 40});
  CHECK(pages.in({15, 35}) == Ranges{{15, 20}, {30, 35}});
  CHECK(pages.bytes_in({15, 35}) == 10);
  CHECK(pages.in({20, 30}).empty());
  CHECK(pages.in({7, 7}).empty());
}

TEST_CASE("a range in the middle of another one can go", "[tables]") {
  PageRanges pages;
  pages.add({10, 40});
  CHECK(pages.remove({20, 25}) == 5);
  CHECK(pages.remove({20, 25}) == 0);
  CHECK(pages.all() == Ranges{{10, 20}, {25, 40}});
}

TEST_CASE("at random, ranges hold what single numbers do", "[tables]") {
  std::mt19937 random(7);
  PageRanges pages;
  std::set<std::uint64_t> plain;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t begin = random() % 100;
    const std::uint64_t end = begin + random() % 20;
    const bool adds = random() % 2 == 0;
    std::uint64_t changed = 0;
    for (std::uint64_t at = begin; at < end; ++at)
      changed += adds ? plain.insert(at).second : plain.erase(at);
    REQUIRE((adds ? pages.add({begin, end}) : pages.remove({begin, end})) == changed);
    REQUIRE(pages.bytes_in({0, 200}) == plain.size());
  }
}

TEST_CASE("pages that move take with them what they are", "[tables]") {
  PageStates pages;
  pages.gone.add({100, 110});
  pages.written.add({120, 130});
  const PageStates taken = pages.take({100, 200});
  CHECK(pages.gone.is_empty());
  pages.put(taken, {100, 200}, 1'000);
  CHECK(pages.gone.all() == Ranges{{1'000, 1'010}});
  CHECK(pages.written.all() == Ranges{{1'020, 1'030}});
}
