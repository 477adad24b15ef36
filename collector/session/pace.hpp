/// How long the collector sleeps between passes over the rings.
#pragma once

#include "preload/wire/ring.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tidemark {

/// Sleeps longer and longer while nothing happens. Under load, at most so long that hosts fill no
/// more than half a ring between the begins of two passes, since a host with a full ring has to
/// wait. Times are of any one clock.
class Pace {
 public:
  static constexpr std::uint64_t kQuietNs = 1'000'000;  ///< Sleep after a pass with few records.
  static constexpr std::uint64_t kBusyNs = 200'000;     ///< Longest sleep after one with many.
  static constexpr std::size_t kManyRecords = 100;
  /// Shorter sleeps are skipped: going to sleep and waking takes longer.
  static constexpr std::uint64_t kMinSleepNs = 20'000;

  /// @param longest_ns of any sleep.
  Pace(std::uint64_t longest_ns, std::uint64_t now_ns)
      : longest_ns_(longest_ns), begin_ns_(now_ns) {}

  /// A pass begins.
  void begin(std::uint64_t now_ns) {
    period_ns_ = now_ns - begin_ns_;
    begin_ns_ = now_ns;
  }

  /// The pass has ended, after `records` records from all rings together.
  /// @return ns to sleep; 0: begin the next pass at once.
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
  std::uint64_t period_ns_ = 0;  // From the previous pass's begin to this one's.
  std::uint64_t quiet_ns_ = 0;
};

}  // namespace tidemark
