#include "collector/session/pace.hpp"

#include "tests/support/catch.hpp"

#include <vector>

namespace tidemark {
namespace {

constexpr std::uint64_t kMaxSleepNs = 5'000'000;

TEST_CASE("a writer at a steady rate never fills its ring while the collector sleeps", "[pace]") {
  const double ns_per_record = GENERATE(25.0, 35.0, 60.0, 150.0, 1'000.0, 1'900.0);
  const double pass_ns_per_record = 20;
  CAPTURE(ns_per_record);
  Pace pace(kMaxSleepNs, 0);
  double unread = 200;
  double now = unread * ns_per_record;
  for (int pass = 0; pass < 1'000; ++pass) {
    pace.begin(static_cast<std::uint64_t>(now));
    const double taken = unread;
    const double busy = taken * pass_ns_per_record + 1'000;
    now += busy;
    const auto sleep = static_cast<double>(
        pace.end(static_cast<std::size_t>(taken), static_cast<std::uint64_t>(now)));
    now += sleep;
    unread = (busy + sleep) / ns_per_record;
    // With room for a wake-up that comes late.
    REQUIRE(unread < 0.75 * wire::kRingSlots);
  }
}

TEST_CASE("the collector of an idle host sleeps longer and longer", "[pace]") {
  Pace pace(kMaxSleepNs, 0);
  std::uint64_t now = 1'000'000;
  std::vector<std::uint64_t> sleeps;
  for (int pass = 0; pass < 5; ++pass) {
    pace.begin(now);
    sleeps.push_back(pace.end(0, now + 1'000));
    now += 1'000 + sleeps.back();
  }
  CHECK(sleeps == std::vector<std::uint64_t>{Pace::kQuietNs, 2 * Pace::kQuietNs, 4 * Pace::kQuietNs,
                                             kMaxSleepNs, kMaxSleepNs});

  pace.begin(now);
  CHECK(pace.end(1, now + 1'000) == Pace::kQuietNs);
}

TEST_CASE("a pass that took as long as half a ring takes to fill is followed at once", "[pace]") {
  Pace pace(kMaxSleepNs, 1'000'000);
  pace.begin(1'100'000);
  CHECK(pace.end(wire::kRingSlots / 2, 1'190'000) == 0);
}

}  // namespace
}  // namespace tidemark
