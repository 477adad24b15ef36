/// Areas cut into few pieces for a painter of triangles.
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

/// Cuts an outline that goes once to the right and once back into pieces that do not overlap.
///
/// Where it is made of steps, heights are rounded to whole pixels, as a painter without smoothed
/// edges shows them anyway; what is as high as its neighbour, or stands on the same ground, becomes
/// one piece over both. A painter in software is slow at narrow pieces: it works on squares of
/// pixels. Pieces are at most as many as the outline has points.
std::vector<Quad> quads_of(const std::vector<picture::Point>& outline);

}  // namespace tidemark::gui
