#include "analyzer/picture/curves.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::picture {
namespace {

std::vector<ResidentPoint> resident_points(const Subject& subject,
                                           const Warp& warp,
                                           std::size_t count) {
  std::vector<ResidentPoint> points;
  std::size_t of_column = 0;  // How many points the column being filled has: its highest, its last.
  for (const analyzer::ResidentTotals& sample : subject.resident) {
    const ResidentPoint point{warp.x_of(sample.at_ns) * static_cast<double>(count), sample.total()};
    if (points.empty() || std::floor(point.column) != std::floor(points.back().column)) {
      of_column = 0;
    }
    if (of_column == 2) {
      points.pop_back();  // Neither the highest nor the last any more.
      of_column = 1;
    }
    if (of_column == 1 && point.bytes >= points.back().bytes) {
      points.pop_back();
      of_column = 0;
    }
    points.push_back(point);
    ++of_column;
  }
  return points;
}

/// Between two reads the bytes came evenly, as far as anybody knows.
double share_read(const std::vector<ProgressPoint>& points, std::uint64_t ns) {
  const auto after = std::ranges::upper_bound(points, ns, {}, &ProgressPoint::ns);
  if (after == points.begin()) {
    return 0;
  }
  auto bytes = static_cast<double>(std::prev(after)->bytes);
  if (after != points.end()) {
    const ProgressPoint& from = *std::prev(after);
    bytes += static_cast<double>(after->bytes - from.bytes) *
             (static_cast<double>(ns - from.ns) / static_cast<double>(after->ns - from.ns));
  }
  return bytes / static_cast<double>(points.back().bytes);
}

}  // namespace

Curves curves_of(const Subject& subject, const Warp& warp, std::size_t count) {
  Curves curves;
  curves.borders = warp.borders(count);
  curves.columns = stacked_columns(*subject.trace, curves.borders);
  curves.resident = resident_points(subject, warp, count);
  curves.peak_column = column_of(curves.borders, subject.peak_at_ns);
  for (std::size_t c = 0; c < curves.columns.size() && !subject.progress.empty(); ++c) {
    curves.progress.push_back(share_read(subject.progress, curves.borders[c + 1]));
  }
  return curves;
}

}  // namespace tidemark::picture
