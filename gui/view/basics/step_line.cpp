#include "gui/view/basics/step_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tidemark::gui {
namespace {

using picture::Point;

/// Wider than any window: not worth a column per pixel.
constexpr double kMaxPixels = 32'768;

bool goes_in_steps(const std::vector<Point>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const bool is_level = points[i].y == points[i - 1].y;
    const bool is_upright = points[i].x == points[i - 1].x;
    if (points[i].x < points[i - 1].x || (!is_level && !is_upright)) {
      return false;
    }
  }
  return points.size() > 1 && points.back().x - points.front().x < kMaxPixels;
}

/// What a line covers of each pixel column: a single stretch, since the line has no gaps.
class CoveredColumns {
 public:
  CoveredColumns(double left, double right, double width)
      : width_(std::max(std::round(width), 1.0)), left_(edge(left)) {
    const double end = std::max(edge(right) + width_, std::round(right) + 1);
    columns_.resize(static_cast<std::size_t>(end - left_));
  }

  void add(const Point& from, const Point& to) {
    const double top = edge(std::min(from.y, to.y));
    const double bottom = edge(std::max(from.y, to.y)) + width_;
    // A horizontal piece has its own ends; a vertical piece is as wide as the line.
    const bool is_level = from.y == to.y;
    const double begin = is_level ? std::round(from.x) : edge(from.x);
    const double end = is_level ? std::max(std::round(to.x), begin + 1) : begin + width_;
    for (auto c = static_cast<std::size_t>(begin - left_);
         c < static_cast<std::size_t>(end - left_); ++c) {
      columns_[c].include(top, bottom);
    }
  }

  /// Merges equal neighbours.
  [[nodiscard]] std::vector<Quad> quads() const {
    std::vector<Quad> quads;
    for (std::size_t begin = 0; begin < columns_.size();) {
      std::size_t end = begin + 1;
      while (end < columns_.size() && columns_[end] == columns_[begin]) {
        ++end;
      }
      const auto [top, bottom] = columns_[begin];
      if (top < bottom) {
        quads.push_back({left_ + static_cast<double>(begin), left_ + static_cast<double>(end), top,
                         bottom, top, bottom});
      }
      begin = end;
    }
    return quads;
  }

 private:
  struct Column {
    double top = 0;
    double bottom = 0;

    void include(double other_top, double other_bottom) {
      const bool is_empty = top >= bottom;
      top = is_empty ? other_top : std::min(top, other_top);
      bottom = is_empty ? other_bottom : std::max(bottom, other_bottom);
    }
    bool operator==(const Column&) const = default;
  };

  /// The left edge of a vertical line with this centre.
  [[nodiscard]] double edge(double middle) const { return std::round(middle - width_ / 2); }

  double width_;
  double left_;
  std::vector<Column> columns_;
};

}  // namespace

std::optional<std::vector<Quad>> step_line(const std::vector<Point>& points, double width) {
  if (!goes_in_steps(points)) {
    return std::nullopt;
  }
  CoveredColumns columns(points.front().x, points.back().x, width);
  for (std::size_t i = 1; i < points.size(); ++i) {
    columns.add(points[i - 1], points[i]);
  }
  return columns.quads();
}

}  // namespace tidemark::gui
