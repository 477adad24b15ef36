#include "collector/session/tick_clock.hpp"

#include "collector/os/clocks.hpp"

#include <cmath>
#include <fstream>
#include <string>

#include <cpuid.h>
#include <time.h>
#include <x86intrin.h>

namespace tidemark {
namespace {

std::uint64_t tsc() {
  unsigned processor = 0;
  return __rdtscp(&processor);
}

bool has_invariant_tsc_and_rdtscp() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool rdtscp = __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (d & (1U << 27)) != 0;
  const bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
  return rdtscp && invariant;
}

/// The kernel stops using the TSC when it finds it unsynchronised; so do we. "kvm-clock" and
/// "hyperv_clocksource_tsc_page" are the TSC underneath, vouched for by the hypervisor.
bool kernel_trusts_tsc() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  file >> name;
  return name.empty() || name == "tsc" || name == "kvm-clock" ||
         name == "hyperv_clocksource_tsc_page";
}

}  // namespace

wire::Clock TickClock::choose() {
  return has_invariant_tsc_and_rdtscp() && kernel_trusts_tsc() ? wire::Clock::kTsc
                                                               : wire::Clock::kMonotonic;
}

TickClock::TickClock(wire::Clock clock) : clock_(clock) {
  last_ = read();
  previous_ = last_;
  origin_ns_ = last_.ns;
}

TickClock::Reading TickClock::read() const {
  if (clock_ == wire::Clock::kMonotonic) {
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
    return {now, now};
  }
  const std::uint64_t before = tsc();
  const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const std::uint64_t after = tsc();
  return {before + (after - before) / 2, now};
}

std::uint64_t TickClock::look() {
  const Reading now = read();
  // Too short a distance gives a poor rate: then the older, longer one is kept.
  constexpr std::uint64_t kMinSpanNs = 200'000;
  if (now.ns - last_.ns >= kMinSpanNs)
    previous_ = last_;
  if (now.ns - previous_.ns >= kMinSpanNs && now.ticks > previous_.ticks)
    rate_ = static_cast<double>(now.ns - previous_.ns) /
            static_cast<double>(now.ticks - previous_.ticks);
  last_ = now;
  fixed_rate_ = std::llround(rate_ * static_cast<double>(std::int64_t{1} << kRateBits));
  return clock_ == wire::Clock::kMonotonic ? clock_ns(CLOCK_MONOTONIC) : tsc();
}

std::uint64_t TickClock::now_ns() const {
  return clock_ns(CLOCK_MONOTONIC) - origin_ns_;
}

}  // namespace tidemark
