#include "collector/session/tick_clock.hpp"

#include "tests/support/catch.hpp"

#include <random>

using namespace tidemark;

namespace {

constexpr std::uint64_t kHalf = std::uint64_t{1} << (wire::kTimeBits - 1);

wire::Clock either_clock() {
  return GENERATE(wire::Clock::kMonotonic, TickClock::choose());
}

}  // namespace

TEST_CASE("the low bits of a time near the last look give the whole time back", "[tick_clock]") {
  TickClock clock(either_clock());
  const std::uint64_t now = clock.to_ticks(clock.look() & wire::kTimeMask);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    // So wide that some lie on the other side of a wrap of the low bits.
    const std::uint64_t distance = random() % (kHalf - (std::uint64_t{1} << 40));
    const std::uint64_t time = i % 2 == 0 ? now + distance : now - distance;
    if (clock.to_ticks(time & wire::kTimeMask) != time)
      FAIL("distance " << distance);
  }
  CHECK(clock.to_ticks(now & wire::kTimeMask) == now);
}

TEST_CASE("a look returns ticks that are later than all before it", "[tick_clock]") {
  TickClock clock(either_clock());
  std::uint64_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = clock.look();
    if (now < before)
      FAIL("look " << i << " went back");
    before = now;
  }
  CHECK(before != 0);
}

TEST_CASE("later ticks are never earlier nanoseconds", "[tick_clock]") {
  TickClock clock(either_clock());
  const std::uint64_t begin = clock.look();
  while (clock.now_ns() < 2'000'000) {
  }
  const std::uint64_t end = clock.look();
  // However long this thread has to wait for its core between any two lines: what a look returned
  // is earlier than the next one.
  clock.look();
  std::uint64_t before = 0;
  for (std::uint64_t time = begin; time < end; time += (end - begin) / 5000 + 1) {
    const std::uint64_t ns = clock.to_ns(time & wire::kTimeMask);
    if (ns < before)
      FAIL("at tick " << time - begin);
    before = ns;
  }
  CHECK(before > 0);
  CHECK(before <= clock.looked_ns());
}

TEST_CASE("ticks become the kernel's nanoseconds", "[tick_clock]") {
  TickClock clock(either_clock());
  clock.look();
  while (clock.now_ns() < 20'000'000) {
  }
  const std::uint64_t middle = clock.look();
  const std::uint64_t earliest_ns = clock.looked_ns();
  const std::uint64_t latest_ns = clock.now_ns();
  while (clock.now_ns() < 40'000'000) {
  }
  clock.look();
  // A fiftieth: a reading of two clocks is not one instant on a busy machine.
  const auto middle_ns = static_cast<double>(clock.to_ns(middle & wire::kTimeMask));
  CHECK(middle_ns >= static_cast<double>(earliest_ns) * 0.98);
  CHECK(middle_ns <= static_cast<double>(latest_ns) * 1.02);
  CHECK(clock.ns_per_tick() > 0);
}

TEST_CASE("a time before the session began is its beginning", "[tick_clock]") {
  TickClock clock(wire::Clock::kMonotonic);
  const std::uint64_t now = clock.look();
  CHECK(clock.to_ns((now - 1'000'000'000'000) & wire::kTimeMask) == 0);
}
