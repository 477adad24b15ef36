#include "reference_loaders/ggml/free_blocks.hpp"

#include "tests/support/catch.hpp"

#include <stdexcept>
#include <vector>

using namespace tidemark::loaders::ggml;

namespace {

using Block = FreeBlocks::Block;

std::vector<std::uintptr_t> addresses(const FreeBlocks& free) {
  std::vector<std::uintptr_t> found;
  for (const Block& hole : free.holes()) {
    found.push_back(hole.address);
  }
  return found;
}

/// A range from 1000 on, all of it given away in pieces of 10, then these pieces freed.
FreeBlocks with_holes(const std::vector<Block>& holes,
                      std::uint64_t rest,
                      Fit fit = Fit::kRestIsLast) {
  FreeBlocks free({1000, 1000 + rest}, fit);
  free.take(1000);
  for (const Block& hole : holes) {
    free.give_back(hole);
  }
  return free;
}

}  // namespace

TEST_CASE("memory comes from the front of the smallest hole that is large enough",
          "[free_blocks]") {
  FreeBlocks free = with_holes({{1100, 50}, {1200, 30}, {1300, 40}}, 1000);

  CHECK(free.take(25) == 1200);
  CHECK(free.take(35) == 1300);
  CHECK(free.take(35) == 1100);
  CHECK(addresses(free) == std::vector<std::uintptr_t>{1135, 1225, 1335});
}

TEST_CASE("of two holes of one size the later is taken", "[free_blocks]") {
  FreeBlocks free = with_holes({{1100, 30}, {1200, 30}}, 1000);

  CHECK(free.take(30) == 1200);
  CHECK(free.take(30) == 1100);
}

TEST_CASE("a hole that is used up is gone", "[free_blocks]") {
  FreeBlocks free = with_holes({{1100, 30}}, 1000);
  free.take(30);

  CHECK(free.holes().empty());
}

TEST_CASE("the rest is taken where no hole is large enough", "[free_blocks]") {
  FreeBlocks free = with_holes({{1100, 30}}, 1000);

  CHECK(free.take(31) == 2000);
  CHECK(free.take(2000) == std::nullopt);
  CHECK(free.largest() == 969);
}

TEST_CASE("a small rest is left alone as long as a hole is large enough", "[free_blocks]") {
  FreeBlocks last = with_holes({{1100, 50}}, 40, Fit::kRestIsLast);
  FreeBlocks competing = with_holes({{1100, 50}}, 40, Fit::kRestCompetes);

  CHECK(last.take(40) == 1100);
  CHECK(competing.take(40) == 2000);
}

TEST_CASE("what is given back joins its neighbours on both sides", "[free_blocks]") {
  FreeBlocks free = with_holes({{1100, 10}, {1120, 10}}, 1000);
  free.give_back({1110, 10});

  REQUIRE(free.holes().size() == 1);
  CHECK(free.holes()[0].address == 1100);
  CHECK(free.holes()[0].bytes == 30);
}

TEST_CASE("what is given back before the rest joins it", "[free_blocks]") {
  FreeBlocks free = with_holes({{1980, 10}}, 100);
  free.give_back({1990, 10});

  CHECK(free.holes().empty());
  CHECK(free.rest().address == 1980);
  CHECK(free.rest().bytes == 120);
}

TEST_CASE("an empty rest still joins what is before it", "[free_blocks]") {
  FreeBlocks free = with_holes({{1900, 100}}, 0);

  CHECK(free.holes().empty());
  CHECK(free.take(100) == 1900);
}

TEST_CASE("holes stay in the order of their addresses", "[free_blocks]") {
  const FreeBlocks free = with_holes({{1500, 10}, {1100, 10}, {1300, 10}}, 10);

  CHECK(addresses(free) == std::vector<std::uintptr_t>{1100, 1300, 1500});
}

TEST_CASE("there are 128 free blocks at most", "[free_blocks]") {
  FreeBlocks free({0x1000, 100'000});
  free.take(10'000);
  for (std::uintptr_t i = 0; i < FreeBlocks::kMaxHoles; ++i) {
    free.give_back({0x1000 + 20 * i, 10});
  }

  CHECK_THROWS_AS(free.give_back({0x1000 + 9000, 10}), std::length_error);
}
