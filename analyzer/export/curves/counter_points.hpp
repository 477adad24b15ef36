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

/// Keeps of each stretch of time the first, the lowest, the highest and the last value, each at its
/// own time: a picture of them has every spike, and where few values came it is the exact curve.
class CounterPoints {
 public:
  static constexpr std::size_t kColumns = 2000;

  explicit CounterPoints(const TimeSpan& span) : span_(span), columns_(span, kColumns) {}

  /// `value` stands from `ns` on. Times must not decrease; what lies outside the span is ignored.
  void add(std::uint64_t ns, std::uint64_t value);

  /// In order of time, at most 4 x kColumns; repeated values are left out but for the last point.
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
  std::uint64_t number_ = UINT64_MAX;  // Of the column that is open; the maximum: none is.
  Column column_;
  std::vector<CounterPoint> points_;
};

}  // namespace tidemark::exports
