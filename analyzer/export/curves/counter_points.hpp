/// A value over time in a bounded number of points.
#pragma once

#include "analyzer/export/curves/time_span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::exports {

struct CounterPoint {
  std::uint64_t at_ns = 0;
  std::uint64_t value = 0;

  bool operator==(const CounterPoint&) const = default;
};

/// Keeps the first, lowest, highest and last value of each column of time, each at its own time: a
/// picture of them shows every spike, and with few values it is the exact curve.
class CounterPoints {
 public:
  static constexpr std::size_t kColumns = 2000;

  explicit CounterPoints(const TimeSpan& span) : span_(span), columns_(span, kColumns) {}

  /// The value is `value` from `ns` on. Times must not decrease; those outside the span are
  /// ignored.
  void add(std::uint64_t ns, std::uint64_t value);

  /// In order of time, at most 4 x kColumns; repeated values are left out except for the last
  /// point.
  [[nodiscard]] std::vector<CounterPoint> take();

 private:
  struct Column {
    CounterPoint first;
    CounterPoint lowest;
    CounterPoint highest;
    CounterPoint last;
  };
  void end_column();
  void append(const CounterPoint& point);

  TimeSpan span_;
  Columns columns_;
  std::uint64_t number_ = UINT64_MAX;  // Index of the open column; the maximum: none.
  Column column_;
  std::vector<CounterPoint> points_;
};

}  // namespace tidemark::exports
