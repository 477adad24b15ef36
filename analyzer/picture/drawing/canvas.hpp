/// Scenes as files, drawn by cairo.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::picture {

/// False in a build of the core alone, which has no cairo: there are no bytes then.
bool can_draw();

/// Why it cannot, as a sentence.
constexpr const char* kDrawsNothing =
    "this build draws no pictures: it was made without cairo; ./dev build makes one that does";

/// Measures DejaVu Sans, or what the system has in its place. Unhinted: widths grow evenly with the
/// size, so that SVG and PNG come out the same.
MeasureText cairo_measure();

/// The bytes of an SVG file. Text is drawn as outlines: it looks the same wherever it is shown. The
/// same scene gives the same bytes.
Result<std::string> svg_of(const Scene& scene);

/// The bytes of a PNG file, one pixel a unit of the scene.
Result<std::string> png_of(const Scene& scene);

}  // namespace tidemark::picture
