#include "analyzer/export/curves/counter_points.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::exports {

void CounterPoints::add(std::uint64_t ns, std::uint64_t value) {
  if (!span_.holds(ns)) {
    return;
  }
  const CounterPoint point{ns, value};
  if (const std::uint64_t number = columns_.of(ns); number != number_) {
    end_column();
    number_ = number;
    column_ = {point, point, point, point};
    return;
  }
  column_.lowest = value < column_.lowest.value ? point : column_.lowest;
  column_.highest = value > column_.highest.value ? point : column_.highest;
  column_.last = point;
}

void CounterPoints::end_column() {
  if (number_ == UINT64_MAX) {
    return;
  }
  CounterPoint low = column_.lowest;
  CounterPoint high = column_.highest;
  if (high.at_ns < low.at_ns) {
    std::swap(low, high);
  }
  append(column_.first);
  append(low);
  append(high);
  append(column_.last);
}

void CounterPoints::append(const CounterPoint& point) {
  if (points_.empty() || points_.back().value != point.value) {
    points_.push_back(point);
  }
}

std::vector<CounterPoint> CounterPoints::take() {
  end_column();
  if (number_ != UINT64_MAX && points_.back().at_ns != column_.last.at_ns) {
    points_.push_back(column_.last);
  }
  number_ = UINT64_MAX;
  return std::move(points_);
}

}  // namespace tidemark::exports
