/// Cuts areas into few pieces for drawing as triangles.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"

#include <vector>

namespace tidemark::gui {

/// Four corners: the left and the right edge are vertical.
struct Quad {
  double left = 0;
  double right = 0;
  double left_top = 0;
  double left_bottom = 0;
  double right_top = 0;
  double right_bottom = 0;

  [[nodiscard]] bool is_flat() const {
    return left_top == right_top && left_bottom == right_bottom;
  }
};

/// Cuts an outline that goes once to the right and once back into pieces that do not overlap, at
/// most as many as it has points.
///
/// Where the outline is stepped, heights are rounded to whole pixels, as drawing without
/// anti-aliasing would do anyway. Neighbours of equal height or with the same ground share one
/// piece: software renderers work on squares of pixels and are slow at narrow pieces.
std::vector<Quad> quads_of(const std::vector<picture::Point>& outline);

}  // namespace tidemark::gui
