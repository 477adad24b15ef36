/// When the collector looks at the rings again.
#pragma once

#include "preload/wire/ring.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tidemark {

/// How long to sleep after a pass: longer and longer when nothing happens; under load no longer
/// than the hosts take to fill half a ring from one pass's begin to the next one's, as a host whose
/// ring is full stands still. Times are of any one clock.
class Pace {
 public:
  static constexpr std::uint64_t kQuietNs = 1'000'000;  ///< After a pass of few records.
  static constexpr std::uint64_t kBusyNs = 200'000;     ///< At most, after one of many.
  static constexpr std::size_t kManyRecords = 100;
  /// A shorter sleep is none: going to sleep and waking takes longer.
  static constexpr std::uint64_t kMinSleepNs = 20'000;

  /// @param longest_ns of any sleep.
  Pace(std::uint64_t longest_ns, std::uint64_t now_ns)
      : longest_ns_(longest_ns), begin_ns_(now_ns) {}

  /// A pass begins.
  void begin(std::uint64_t now_ns) {
    period_ns_ = now_ns - begin_ns_;
    begin_ns_ = now_ns;
  }

  /// It took `records`, of all rings together, and is over.
  /// @return ns to sleep; 0: the next pass shall begin at once.
  std::uint64_t end(std::size_t records, std::uint64_t now_ns) {
    if (records >= kManyRecords) {
      quiet_ns_ = 0;
      return busy_ns(records, now_ns);
    }
    quiet_ns_ = records > 0 ? kQuietNs : std::max(quiet_ns_ * 2, kQuietNs);
    return quiet_ns_ = std::min(quiet_ns_, longest_ns_);
  }

 private:
  [[nodiscard]] std::uint64_t busy_ns(std::size_t records, std::uint64_t now_ns) const {
    const std::uint64_t half_ring_ns = period_ns_ * (wire::kRingSlots / 2) / records;
    const std::uint64_t pass_ns = now_ns - begin_ns_;
    const std::uint64_t left_ns = half_ring_ns - std::min(half_ring_ns, pass_ns);
    return left_ns < kMinSleepNs ? 0 : std::min({left_ns, kBusyNs, longest_ns_});
  }

  std::uint64_t longest_ns_;
  std::uint64_t begin_ns_;
  std::uint64_t period_ns_ = 0;  // From the begin of the pass before to this one's.
  std::uint64_t quiet_ns_ = 0;
};

}  // namespace tidemark
