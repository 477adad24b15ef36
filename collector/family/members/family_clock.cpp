#include "collector/family/members/family_clock.hpp"

#include "collector/os/clocks.hpp"

#include <algorithm>
#include <ctime>

#include <unistd.h>

namespace tidemark {
namespace {

/// CLOCK_BOOTTIME, rounded down.
std::uint64_t start_of(const Process& process) {
  static const auto ticks_in_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return process.start_ticks() * (1'000'000'000 / ticks_in_second);
}

}  // namespace

FamilyClock::FamilyClock() : made_ns_(clock_ns(CLOCK_BOOTTIME)) {}

void FamilyClock::begin(std::uint64_t now_ns) {
  monotonic_origin_ns_ = clock_ns(CLOCK_MONOTONIC) - now_ns;
  boot_origin_ns_ = clock_ns(CLOCK_BOOTTIME) - now_ns;
}

void FamilyClock::see(std::uint64_t now_ns) {
  monotonic_origin_ns_ = std::min(monotonic_origin_ns_, clock_ns(CLOCK_MONOTONIC) - now_ns);
}

std::uint64_t FamilyClock::now() const {
  return clock_ns(CLOCK_MONOTONIC) - monotonic_origin_ns_;
}

std::uint64_t FamilyClock::of_session(std::uint64_t at_ns) const {
  return at_ns - std::min(at_ns, monotonic_origin_ns_);
}

std::uint64_t FamilyClock::began_at(const Process& process) const {
  const std::uint64_t start_ns = start_of(process);
  return start_ns - std::min(start_ns, boot_origin_ns_);
}

/// A number is not given again for longer than all that is rounded here.
bool FamilyClock::began_before(const Process& process, std::uint64_t at_ns) const {
  constexpr std::uint64_t kSlackNs = 200'000'000;  // also for what lies between two clocks
  return start_of(process) <= made_ns_ + at_ns + kSlackNs;
}

}  // namespace tidemark
