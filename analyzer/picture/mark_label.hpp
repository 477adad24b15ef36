/// Where the label of a mark stands, so that it can be read.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"

#include <span>

namespace tidemark::picture {

struct MarkLabel {
  Point mark;
  double width = 0;  ///< Of the text.
  double size = 0;   ///< Of the font.
  double scale = 1;
};

/// The left end of its baseline. It stands above the mark, and moves aside or up where the line
/// would run through it; where it does at each of these places, it is where the least of it is.
/// @param plot which it does not leave, to the sides.
/// @param taken a box that it must not touch, or it goes below both.
/// @param line in order of x, with level and upright pieces alone.
Point place_label(const MarkLabel& label,
                  const Box& plot,
                  const Box& taken,
                  std::span<const Point> line);

}  // namespace tidemark::picture
