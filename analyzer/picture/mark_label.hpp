/// Places the label of a mark so that it can be read.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"

#include <span>

namespace tidemark::picture {

struct MarkLabel {
  Point mark;
  double width = 0;  ///< The text's.
  double size = 0;   ///< The font's.
  double scale = 1;
};

/// The left end of its baseline. The label is above the mark, or moved aside or up if the line
/// would cross it; if it is crossed at each of these places, takes the one crossed least.
/// @param plot which it does not leave: without room above the mark, it goes below.
/// @param taken the label of another mark, which it must not touch, or it goes below both; nor is
/// it placed above the label of a higher mark.
/// @param line in order of x, with level and upright pieces alone.
Point place_label(const MarkLabel& label,
                  const Box& plot,
                  const Box& taken,
                  std::span<const Point> line);

}  // namespace tidemark::picture
