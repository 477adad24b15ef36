/// Interface between the object that draws with cairo and the command that loads it.
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

/// The object's only symbol. Raise the number with every change of CanvasObject or shapes.hpp, so
/// that a command finds no symbol in an object of another build, whose shapes may have another
/// layout.
#define TIDEMARK_CANVAS_OBJECT tidemark_canvas_object_2
extern "C" tidemark::picture::GetCanvasObject TIDEMARK_CANVAS_OBJECT;
