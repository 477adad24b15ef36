#include "analyzer/flow/following/departure_list.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace tidemark::analyzer;

namespace {

constexpr std::uint64_t kPiece = 64 << 10;
constexpr std::uint64_t kSource = std::uint64_t{24} << 20U;

Departure piece(std::uint32_t source, std::uint32_t target, std::uint64_t at) {
  return {.source = source,
          .target = target,
          .at = at,
          .first_ns = at,
          .last_ns = at,
          .bytes = kPiece,
          .count = 1};
}

}  // namespace

TEST_CASE("a few copies are kept one by one, close ones of small pieces as one", "[anatomy]") {
  DepartureList list;
  for (std::uint64_t at = 0; at < 100; ++at) {
    list.add(piece(1, 2, at), kSource);
    list.add(piece(3, 2, at), kSource * 1000);
  }
  const auto departures = list.take();

  CHECK(std::ranges::count(departures, 1U, &Departure::source) == 100);
  CHECK(std::ranges::count(departures, 3U, &Departure::source) == 1);
}

TEST_CASE("millions of copies take bounded room, and none of their bytes is lost", "[anatomy]") {
  constexpr std::uint64_t kCopies = 3'000'000;
  DepartureList list;
  for (std::uint64_t at = 0; at < kCopies; ++at) {
    list.add(piece(static_cast<std::uint32_t>(at % 3), 9, at), kSource);
  }
  CHECK(list.left_out() == 0);
  const auto departures = list.take();

  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  for (const Departure& departure : departures) {
    bytes += departure.bytes;
    count += departure.count;
  }
  CHECK(departures.size() <= std::size_t{1} << 18U);
  CHECK(bytes == kCopies * kPiece);
  CHECK(count == kCopies);
  for (std::uint32_t source = 0; source < 3; ++source) {
    std::uint64_t last = 0;
    for (const Departure& departure : departures) {
      if (departure.source == source) {
        REQUIRE(departure.at >= last);
        last = departure.at;
      }
    }
    CHECK(last >= kCopies - 3);
  }
}

TEST_CASE("copies that cannot be joined are left out at last, and counted", "[anatomy]") {
  DepartureList list;
  for (std::uint64_t at = 0; at < 1'000'000; ++at) {
    list.add(piece(0, static_cast<std::uint32_t>(at % 2), at), kSource);
  }
  const std::uint64_t left_out = list.left_out();
  const auto departures = list.take();

  CHECK(departures.size() <= std::size_t{1} << 18U);
  std::uint64_t kept = 0;
  for (const Departure& departure : departures) {
    kept += departure.count;
  }
  CHECK(left_out > 0);
  CHECK(kept + left_out == 1'000'000);
}
