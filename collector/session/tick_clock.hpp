/// Turns record ticks into nanoseconds since the session began.
#pragma once

#include "preload/wire/session.hpp"

#include <cstdint>

namespace tidemark {

/// The TSC's frequency is not known exactly and drifts against the kernel's clock, so it is never
/// assumed: each look reads both clocks, and ticks between two looks are interpolated.
class TickClock {
 public:
  /// kTsc where the kernel itself trusts it (invariant, synchronised across cores).
  static wire::Clock choose();

  explicit TickClock(wire::Clock clock);

  /// Reads both clocks. @return ticks now: every record stamped before this call has fewer.
  std::uint64_t look();

  /// @param record_time the low wire::kTimeBits of a tick count, from within 13 hours of the last
  /// look.
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
  /// Time of this very moment.
  [[nodiscard]] std::uint64_t now_ns() const;
  [[nodiscard]] double ns_per_tick() const { return rate_; }

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
    // Sign-extended difference of the low bits.
    const std::uint64_t shifted = (last_.ticks - record_time) << (64 - wire::kTimeBits);
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
