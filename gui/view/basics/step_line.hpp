/// Lines of level and upright pieces, as areas: smoothed edges would show nothing that whole pixels
/// do not, and cost several triangles for each piece.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/fill_quads.hpp"

#include <optional>
#include <vector>

namespace tidemark::gui {

/// The pixels of a line that goes to the right in level and upright pieces: at most one piece a
/// column of pixels, none over another, so that it can be transparent. `width` is rounded to whole
/// pixels.
/// @return none for a line of another kind.
std::optional<std::vector<Quad>> step_line(const std::vector<picture::Point>& points, double width);

}  // namespace tidemark::gui
