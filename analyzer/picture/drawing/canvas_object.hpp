/// What the object that draws by cairo gives to the command that loads it. Both are of one build.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::picture {

/// As canvas.hpp says of each.
struct CanvasObject {
  MeasureText (*measure)();
  Result<std::string> (*svg_of)(const Scene&);
  Result<std::string> (*png_of)(const Scene&);
};

constexpr const char* kCanvasObjectFile = "libtidemark_canvas.so";
/// Its only symbol, of the type GetCanvasObject.
constexpr const char* kCanvasObjectSymbol = "tidemark_canvas_object";
using GetCanvasObject = const CanvasObject*();

}  // namespace tidemark::picture
