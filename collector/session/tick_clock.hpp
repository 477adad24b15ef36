/// Turns record ticks into nanoseconds since the session began.
#pragma once

#include "preload/wire/session.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tidemark {

/// The TSC's frequency is not known exactly and drifts against the kernel's clock. So no frequency
/// is assumed: each look reads both clocks, and ticks in between are interpolated.
class TickClock {
 public:
  /// kTsc if the kernel itself trusts the TSC (invariant, synchronised across cores).
  static wire::Clock choose();

  explicit TickClock(wire::Clock clock);

  /// Reads both clocks. @return ticks now: every record stamped before this call has fewer.
  std::uint64_t look();

  /// @param record_time the low wire::kTimeBits of a tick count, within 13 hours of the last look.
  [[nodiscard]] std::uint64_t to_ns(std::uint64_t record_time) const {
    // 64.32 bits: 13 hours of ticks fit with their fraction.
    const auto ns_behind = static_cast<std::int64_t>(
        (static_cast<Wide>(behind(record_time)) * fixed_rate_) >> kRateBits);
    const std::int64_t ns = static_cast<std::int64_t>(looked_ns()) - ns_behind;
    return ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
  }
  /// The same time as `to_ns` compares, in full ticks.
  [[nodiscard]] std::uint64_t to_ticks(std::uint64_t record_time) const {
    return last_.ticks - static_cast<std::uint64_t>(behind(record_time));
  }
  /// Time of the last look.
  [[nodiscard]] std::uint64_t looked_ns() const { return last_.ns - origin_ns_; }
  /// The current time.
  [[nodiscard]] std::uint64_t now_ns() const;
  [[nodiscard]] double ns_per_tick() const { return rate_; }

  /// Converts times of records close to each other, at a fraction of the cost of `to_ns`. Valid
  /// until the clock's next look.
  class Near {
   public:
    /// @param first_time of a record, as in `to_ns`.
    Near(const TickClock& clock, std::uint64_t first_time)
        : clock_(clock), first_time_(first_time), first_ns_(clock.to_ns(first_time)) {}
    /// Ticks from the first record to that one; negative if that one is earlier.
    [[nodiscard]] std::int64_t ticks_to(std::uint64_t record_time) const {
      return difference(record_time, first_time_);
    }
    /// Ticks from the first record to a time in full ticks.
    [[nodiscard]] std::int64_t ticks_until(std::uint64_t ticks) const {
      const std::uint64_t first = clock_.to_ticks(first_time_);
      constexpr std::uint64_t kMaxNs = std::numeric_limits<std::int64_t>::max();
      return ticks < first ? -1 : static_cast<std::int64_t>(std::min(ticks - first, kMaxNs));
    }
    /// @param ticks after the first record.
    [[nodiscard]] std::uint64_t ns_after(std::int64_t ticks) const {
      // Multiplied by the rate this fits 64 bits, since a tick is shorter than 16 ns.
      constexpr std::uint64_t kNear = std::uint64_t{1} << 27U;
      if (static_cast<std::uint64_t>(ticks) >= kNear) [[unlikely]]
        return clock_.to_ns(first_time_ + static_cast<std::uint64_t>(ticks));
      return first_ns_ + (static_cast<std::uint64_t>(ticks * clock_.fixed_rate_) >> kRateBits);
    }

   private:
    const TickClock& clock_;
    std::uint64_t first_time_;
    std::uint64_t first_ns_;
  };

 private:
  __extension__ using Wide = __int128;
  static constexpr unsigned kRateBits = 32;
  struct Reading {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
  };
  [[nodiscard]] Reading read() const;
  /// Ticks before the last look: records lie shortly before it, or just after.
  [[nodiscard]] std::int64_t behind(std::uint64_t record_time) const {
    return difference(last_.ticks, record_time);
  }
  /// Difference of the low bits, sign-extended.
  static std::int64_t difference(std::uint64_t later, std::uint64_t earlier) {
    const std::uint64_t shifted = (later - earlier) << (64 - wire::kTimeBits);
    return static_cast<std::int64_t>(shifted) >> (64 - wire::kTimeBits);
  }

  wire::Clock clock_;
  std::uint64_t origin_ns_ = 0;
  Reading previous_;
  Reading last_;
  double rate_ = 1.0;  ///< ns per tick between the last two looks.
  std::int64_t fixed_rate_ = std::int64_t{1} << kRateBits;  ///< The same, times 2^kRateBits.
};

}  // namespace tidemark
