#include "analyzer/ahead.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <stdexcept>

using tidemark::analyzer::Ahead;

namespace {

/// Items that hold their number, the later ones of each four made sooner.
Ahead<std::size_t>::Make uneven_maker() {
  return [](std::size_t number, std::size_t& item) {
    std::this_thread::sleep_for(std::chrono::microseconds(100 * (3 - number % 4)));
    item = number;
  };
}

}  // namespace

TEST_CASE("items made ahead come in order, each once", "[ahead]") {
  const std::size_t count = GENERATE(as<std::size_t>{}, 0, 1, 3, 4, 5, 200);
  CAPTURE(count);
  Ahead<std::size_t> ahead(count, uneven_maker);

  for (std::size_t number = 0; number < count; ++number) {
    REQUIRE(ahead.next() == number);
  }
  CHECK(true);
}

TEST_CASE("an item stays as it is until the next is asked for", "[ahead]") {
  Ahead<std::size_t> ahead(100, uneven_maker);

  for (std::size_t number = 0; number < 100; ++number) {
    const std::size_t& item = ahead.next();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    REQUIRE(item == number);
  }
}

TEST_CASE("what is not asked for any more holds nobody up", "[ahead]") {
  Ahead<std::size_t> ahead(1'000'000, uneven_maker);

  CHECK(ahead.next() == 0);
}

TEST_CASE("an error in an item is thrown where the item is asked for", "[ahead]") {
  const std::size_t count = GENERATE(as<std::size_t>{}, 2, 100);
  Ahead<std::size_t> ahead(count, [] {
    return [](std::size_t number, std::size_t& item) {
      if (number == 1) {
        throw std::runtime_error("no item");
      }
      item = number;
    };
  });

  CHECK(ahead.next() == 0);
  CHECK_THROWS_AS(ahead.next(), std::runtime_error);
}
