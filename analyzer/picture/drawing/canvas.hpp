/// Texts measured and scenes drawn by cairo.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::picture {

/// Loads the drawing object, once, as do the functions below. False if it is not beside this
/// command, as in a build of the core alone, or if cairo is not installed: then nothing can be
/// drawn.
bool can_draw();

/// Why it cannot, as a sentence.
constexpr const char* kDrawsNothing =
    "no pictures can be drawn here: cairo (Debian's libcairo2) is missing, or "
    "libtidemark_canvas.so "
    "beside the command is, or is of another build";

/// Measures DejaVu Sans, or what the system has in its place. Unhinted: widths grow evenly with the
/// size, so that SVG and PNG come out the same.
MeasureText cairo_measure();

/// The bytes of a PNG file, with `scale` pixels per unit of the scene.
Result<std::string> png_of(const Scene& scene, double scale = 1);

}  // namespace tidemark::picture
