/// A stretch of the recording.
#pragma once

#include <cstdint>

namespace tidemark::exports {

/// Both ends included.
struct TimeSpan {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;

  [[nodiscard]] bool holds(std::uint64_t ns) const { return begin_ns <= ns && ns <= end_ns; }
};

/// Equal stretches of a span, by number.
class Columns {
 public:
  Columns(const TimeSpan& span, std::uint64_t count)
      : begin_ns_(span.begin_ns), width_ns_((span.end_ns - span.begin_ns) / count + 1) {}

  /// @param ns within the span.
  [[nodiscard]] std::uint64_t of(std::uint64_t ns) const { return (ns - begin_ns_) / width_ns_; }

 private:
  std::uint64_t begin_ns_;
  std::uint64_t width_ns_;
};

}  // namespace tidemark::exports
