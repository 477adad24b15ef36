#include "preload/session/clock.hpp"

#include "preload/os/seccomp.hpp"

#include <ctime>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit std::atomic<Stamps> g_stamps = Stamps::kTscInOrder;

std::uint64_t monotonic_ticks() {
  static constinit std::atomic<std::uint64_t> last{0};
  if (!may(kMayReadClock))
    return last.load(std::memory_order_relaxed);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto ticks = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                     static_cast<std::uint64_t>(now.tv_nsec);
  last.store(ticks, std::memory_order_relaxed);
  return ticks;
}

}  // namespace tidemark::preload
