/// One trace's panel: lanes, lines, peak, phases, reading progress.
#pragma once

#include "analyzer/picture/alignment.hpp"
#include "analyzer/picture/curves.hpp"
#include "analyzer/picture/layout.hpp"
#include "analyzer/picture/theme.hpp"
#include "analyzer/picture/ticks.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::picture {

/// The vertical axis that all panels share.
struct SizeAxis {
  std::uint64_t highest = 1;  ///< Highest value of any panel.
  double top = 1;  ///< Bytes at the upper edge; above the highest value, to leave its label room.
  std::vector<Tick> ticks;
};

/// What the panels of a picture have in common. All stays borrowed.
struct PanelStyle {
  const Theme& theme;
  const Type& type;
  const SizeAxis& sizes;
  const std::vector<AxisTick>& ticks;
  bool shows_file_mappings = false;  ///< Else they are too small to be seen in any panel.
};

/// Drawn as a shadow, to compare with; null: none.
struct OtherTrace {
  const Curves* curves = nullptr;
};

/// Draws into the boxes of `layout`, and the labels of the vertical axis to their left. `role` is
/// `before`, `after` or empty.
void draw_panel(Pen& pen,
                const PanelStyle& style,
                const PanelLayout& layout,
                const std::string& role,
                const Subject& subject,
                const Warp& warp,
                const Curves& curves,
                OtherTrace other);

/// The upper edge of values as steps: a flat piece for each column, x from `box.x` in pixels. Equal
/// neighbours are one piece.
template <typename Height>
std::vector<Point> steps(const Box& box, std::size_t count, Height height) {
  std::vector<Point> points;
  for (std::size_t c = 0; c < count; ++c) {
    const double y = height(c);
    const double x = box.x + static_cast<double>(c);
    if (points.empty() || points.back().y != y) {
      points.push_back({x, y});
      points.push_back({x + 1, y});
    } else {
      points.back().x = x + 1;
    }
  }
  return points;
}

/// The steps with the ground under them, as a closed area.
std::vector<Point> closed(std::vector<Point> steps, double ground);

}  // namespace tidemark::picture
