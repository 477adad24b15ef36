#include "gui/view/timeline/column_set.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

// In columns: how far rounding may move equal borders apart.
constexpr double kSameBorder = 1e-3;

void include(picture::StackedColumn& column, const picture::StackedColumn& other) {
  if (other.highest.footprint() > column.highest.footprint()) {
    column.highest = other.highest;
  }
  if (other.lowest.footprint() < column.lowest.footprint()) {
    column.lowest = other.lowest;
  }
  column.file.include(other.file);
}

/// The lanes' maxima may be of different instants: if they exceed the footprint, each is reduced in
/// proportion.
trace::LaneTotals cut_down(trace::LaneTotals lanes, std::uint64_t footprint) {
  const std::uint64_t all = lanes.footprint();
  if (all <= footprint) {
    return lanes;
  }
  const double share = static_cast<double>(footprint) / static_cast<double>(all);
  const auto cut = [share](std::uint64_t bytes) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * share);
  };
  // The first lane takes the rounding rest.
  std::uint64_t rest = footprint;
  for (std::size_t i = 1; i < trace::kFootprintLanes.size(); ++i) {
    std::uint64_t& bytes = lanes[trace::kFootprintLanes.at(i)];
    bytes = cut(bytes);
    rest -= bytes;
  }
  lanes[trace::kFootprintLanes.front()] = rest;
  return lanes;
}

}  // namespace

std::vector<std::uint64_t> borders_of(const picture::Warp& warp,
                                      const ViewRange& range,
                                      std::size_t count) {
  const double end_x = warp.x_of(UINT64_MAX);
  const std::uint64_t end_ns = warp.ns_at(2);
  const double width = range.width() / static_cast<double>(count);
  std::vector<std::uint64_t> borders;
  borders.reserve(count + 1);
  for (std::size_t c = 0; c <= count; ++c) {
    const double x = range.begin + static_cast<double>(c) * width;
    if (x + kSameBorder * width >= end_x) {
      break;
    }
    borders.push_back(x <= 0 ? 0 : warp.ns_at(x));
  }
  if (!borders.empty() && borders.size() <= count) {
    borders.push_back(end_ns);
  }
  return borders.size() < 2 ? std::vector<std::uint64_t>{} : borders;
}

ColumnSet with_margins(const ViewRange& range, std::size_t count) {
  const double width = range.width() / static_cast<double>(count);
  const auto whole = [&](double room) {
    const double columns = std::floor(room / width + kSameBorder);
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(columns, 0.0)), 0, count / 2);
  };
  const std::size_t left = whole(range.begin);
  const std::size_t right = whole(1 - range.end);
  return {.range = {range.begin - static_cast<double>(left) * width,
                    range.end + static_cast<double>(right) * width},
          .count = left + count + right,
          .columns = {},
          .axis = 0};
}

bool covers(const ColumnSet& set, const ViewRange& range) {
  if (set.count == 0) {
    return false;
  }
  const double slack = kSameBorder * set.column_width();
  return range.begin >= set.range.begin - slack && range.end <= set.range.end + slack;
}

bool has_exactly(const ColumnSet& set, const ViewRange& range, std::size_t count) {
  if (!covers(set, range)) {
    return false;
  }
  const double width = range.width() / static_cast<double>(count);
  const double offset = (range.begin - set.range.begin) / set.column_width();
  return std::abs(width / set.column_width() - 1) * static_cast<double>(count) < kSameBorder &&
         std::abs(offset - std::round(offset)) < 10 * kSameBorder;
}

std::vector<picture::StackedColumn> resampled(const ColumnSet& set,
                                              const ViewRange& range,
                                              std::size_t count) {
  std::vector<picture::StackedColumn> columns;
  if (set.columns.empty()) {
    return columns;
  }
  const bool is_same = has_exactly(set, range, count);
  const double each = is_same ? 1 : range.width() / static_cast<double>(count) / set.column_width();
  const double first = (range.begin - set.range.begin) / set.column_width();
  // Borders are whole nanoseconds: an event on one may belong to the column on either side.
  const double slack = is_same ? 0 : kSameBorder;
  const auto all = static_cast<double>(set.columns.size());
  columns.reserve(count);
  for (std::size_t c = 0; c < count; ++c) {
    const double from = (is_same ? std::round(first) : first) + static_cast<double>(c) * each;
    if (from >= all) {
      break;
    }
    const auto begin = static_cast<std::size_t>(std::max(std::floor(from - slack), 0.0));
    const auto end = static_cast<std::size_t>(std::clamp(std::ceil(from + each + slack), 1.0, all));
    picture::StackedColumn column = set.columns[std::min(begin, set.columns.size() - 1)];
    for (std::size_t i = begin + 1; i < end; ++i) {
      include(column, set.columns[i]);
    }
    columns.push_back(column);
  }
  return columns;
}

std::vector<picture::StackedColumn> columns_of(const std::vector<analyzer::Extents>& extents) {
  std::vector<picture::StackedColumn> columns;
  columns.reserve(extents.size());
  for (const analyzer::Extents& one : extents) {
    picture::StackedColumn& column = columns.emplace_back();
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      column.highest.bytes[lane] = one.lanes[lane].maximum;
      column.lowest.bytes[lane] = one.lanes[lane].minimum;
    }
    column.highest = cut_down(column.highest, one.footprint.maximum);
    column.file = one.lanes[static_cast<std::size_t>(trace::Lane::kFile)];
  }
  return columns;
}

}  // namespace tidemark::gui
