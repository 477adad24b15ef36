#include "analyzer/picture/mark_label.hpp"

#include "analyzer/picture/drawing/pen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace tidemark::picture {
namespace {

/// In widths of the label, from above the mark to beside it.
constexpr std::array kAside{0.0, -0.25, 0.25, -0.5, 0.5};
/// In heights of the font.
constexpr std::array kUp{0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0};

bool do_touch(const Box& one, const Box& other, double gap) {
  return one.x < other.right() + gap && other.x < one.right() + gap && one.y < other.bottom() &&
         other.y < one.bottom();
}

/// How much of a line is within a box, in pixels; 0: it does not touch it.
double length_within(const Box& box, std::span<const Point> line) {
  double length = 0;
  for (std::size_t i = 1; i < line.size() && line[i - 1].x <= box.right(); ++i) {
    const Point& from = line[i - 1];
    const Point& to = line[i];
    const double wide = std::min(to.x, box.right()) - std::max(from.x, box.x);
    const double high =
        std::min(std::max(from.y, to.y), box.bottom()) - std::max(std::min(from.y, to.y), box.y);
    if (wide >= 0 && high >= 0) {
      length += std::max(wide + high, 1.0);
    }
  }
  return length;
}

}  // namespace

Point place_label(const MarkLabel& label,
                  const Box& plot,
                  const Box& taken,
                  std::span<const Point> line) {
  const Point& mark = label.mark;
  const double pad = 4 * label.scale;
  const double rightmost = std::max(plot.right() - label.width - pad, plot.x + pad);
  // Placed beside the mark, so that a line going straight up from it is between two labels.
  const auto from = [&](double aside) {
    return std::clamp(mark.x + (aside - 0.5) * label.width + 2 * aside * pad, plot.x + pad,
                      rightmost);
  };
  const double lowest = mark.y - 0.24 * label.size - 6 * label.scale;
  // A label whose mark is the lower one stays below the other's.
  const bool is_lower = !taken.is_empty() && mark.y > taken.bottom() + 8 * label.scale;
  // A mark that is cut off at the upper edge has its label within the plot: the header is above.
  const double highest = plot.y - label.size / 2;
  std::optional<Point> best;
  double least = 0;
  for (const double up : kUp) {
    for (const double aside : kAside) {
      const Point at{from(aside), lowest - up * label.size};
      const Box box = text_box(at, label.width, label.size);
      const bool is_above_other =
          is_lower && box.y < taken.bottom() && box.x < taken.right() && taken.x < box.right();
      if (box.y < (up > 0 ? plot.y : highest) || is_above_other ||
          (!taken.is_empty() && do_touch(box, taken, pad))) {
        continue;
      }
      const double margin = 2 * label.scale;
      const Box around{box.x - margin, box.y, box.width + 2 * margin, box.height};
      // A label is read as the mark's only if it is near.
      constexpr double kOfLine = 100;
      const double cost =
          kOfLine * length_within(around, line) + std::abs(at.x - from(0)) / label.width + 2 * up;
      if (!best || cost < least) {
        best = at;
        least = cost;
      }
    }
  }
  return best.value_or(Point{from(0), std::max(taken.bottom(), mark.y) + label.size + pad});
}

}  // namespace tidemark::picture
