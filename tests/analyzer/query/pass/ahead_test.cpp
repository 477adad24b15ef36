#include "analyzer/query/pass/ahead.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

using tidemark::analyzer::Ahead;

namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kRoom = 2 * kThreads;  // Items that stand in memory at one time.

/// Items that hold their number, and what was made of them.
class Items {
 public:
  explicit Items(std::size_t count) : count_(count), times_made_(count, 0) {}

  void make(std::size_t number, std::size_t& item) {
    const std::scoped_lock lock(mutex_);
    item = number;
    ++times_made_[number];
    made_.notify_all();
  }
  /// Each full group of four from its last to its first: four threads must be at work at once.
  void make_backwards(std::size_t number, std::size_t& item) {
    const bool is_in_full_group = number / kThreads * kThreads + kThreads <= count_;
    if (is_in_full_group && number % kThreads != kThreads - 1) {
      wait_for(number + 1);
    }
    make(number, item);
  }
  void wait_for(std::size_t number) {
    constexpr auto kDeadline = std::chrono::seconds(30);
    std::unique_lock lock(mutex_);
    if (!made_.wait_for(lock, kDeadline, [&] { return times_made_[number] > 0; })) {
      was_late_ = true;
    }
  }
  /// How often each was made. Not to be called before the threads are gone.
  [[nodiscard]] const std::vector<int>& times_made() const { return times_made_; }
  [[nodiscard]] bool was_late() const { return was_late_; }

 private:
  const std::size_t count_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::vector<int> times_made_;
  std::atomic<bool> was_late_ = false;
};

}  // namespace

TEST_CASE("items made ahead come in order, each once", "[ahead]") {
  const std::size_t count = GENERATE(as<std::size_t>{}, 0, 1, 3, 4, 5, 200);
  CAPTURE(count);
  Items items(count);
  {
    Ahead<std::size_t> ahead(
        count,
        [&] {
          return [&](std::size_t number, std::size_t& item) { items.make_backwards(number, item); };
        },
        kThreads);
    for (std::size_t number = 0; number < count; ++number) {
      REQUIRE(ahead.next() == number);
    }
  }
  CHECK_FALSE(items.was_late());
  CHECK(items.times_made() == std::vector<int>(count, 1));
}

TEST_CASE("an item stays as it is until the next is asked for", "[ahead]") {
  constexpr std::size_t kCount = 100;
  std::atomic<std::size_t> asked_for = 0;
  std::atomic<bool> is_overrun = false;
  Items items(kCount);
  Ahead<std::size_t> ahead(
      kCount,
      [&] {
        return [&](std::size_t number, std::size_t& item) {
          is_overrun = is_overrun || number >= asked_for + kRoom;
          items.make(number, item);
        };
      },
      kThreads);

  for (std::size_t number = 0; number < kCount; ++number) {
    asked_for = number;
    const std::size_t& item = ahead.next();
    items.wait_for(std::min(number + kRoom, kCount) - 1);  // Every other place is taken by now.
    REQUIRE(item == number);
  }
  CHECK_FALSE(items.was_late());
  CHECK_FALSE(is_overrun);
}

TEST_CASE("what is not asked for any more holds nobody up", "[ahead]") {
  Ahead<std::size_t> ahead(
      1'000'000, [] { return [](std::size_t number, std::size_t& item) { item = number; }; },
      kThreads);

  CHECK(ahead.next() == 0);
}

TEST_CASE("an error in an item is thrown where the item is asked for", "[ahead]") {
  const std::size_t count = GENERATE(as<std::size_t>{}, 2, 100);
  Ahead<std::size_t> ahead(
      count,
      [] {
        return [](std::size_t number, std::size_t& item) {
          if (number == 1) {
            throw std::runtime_error("no item");
          }
          item = number;
        };
      },
      kThreads);

  CHECK(ahead.next() == 0);
  CHECK_THROWS_AS(ahead.next(), std::runtime_error);
}
