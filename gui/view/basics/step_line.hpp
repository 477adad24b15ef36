/// Lines of horizontal and vertical pieces, as areas: anti-aliasing would show nothing that whole
/// pixels do not, and cost several triangles for each piece.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/fill_quads.hpp"

#include <optional>
#include <vector>

namespace tidemark::gui {

/// The pixels of a line that goes to the right in horizontal and vertical pieces: at most one quad
/// per pixel column and no overlaps, so that it can be transparent. `width` is rounded to whole
/// pixels.
/// @return none for any other line.
std::optional<std::vector<Quad>> step_line(const std::vector<picture::Point>& points, double width);

}  // namespace tidemark::gui
