/// What the object that draws by cairo gives to the command that loads it.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::picture {

/// As canvas.hpp says of each.
struct CanvasObject {
  MeasureText (*measure)();
  Result<std::string> (*png_of)(const Scene&, double scale);
};

constexpr const char* kCanvasObjectFile = "libtidemark_canvas.so";
using GetCanvasObject = const CanvasObject*();

}  // namespace tidemark::picture

/// The object's only symbol. The number goes up with every change of CanvasObject and of
/// shapes.hpp: a command finds nothing in an object of another build, whose shapes may lie
/// otherwise in memory.
#define TIDEMARK_CANVAS_OBJECT tidemark_canvas_object_2
extern "C" tidemark::picture::GetCanvasObject TIDEMARK_CANVAS_OBJECT;
