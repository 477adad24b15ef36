#include "analyzer/picture/drawing/canvas.hpp"

#include "analyzer/picture/drawing/canvas_object.hpp"
#include "collector/os/own_objects.hpp"

#include <dlfcn.h>

namespace tidemark::picture {
namespace {

/// Null where there is none. Stays loaded.
const CanvasObject* canvas_object() {
  static const CanvasObject* const object = []() -> const CanvasObject* {
    const std::string path = find_own_object(kCanvasObjectFile);
    void* const loaded = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = loaded != nullptr ? dlsym(loaded, kCanvasObjectSymbol) : nullptr;
    return symbol != nullptr ? reinterpret_cast<GetCanvasObject*>(symbol)() : nullptr;
  }();
  return object;
}

}  // namespace

bool can_draw() {
  return canvas_object() != nullptr;
}

MeasureText cairo_measure() {
  if (const CanvasObject* object = canvas_object())
    return object->measure();
  return [](const std::string&, double, bool) { return 0.0; };
}

Result<std::string> svg_of(const Scene& scene) {
  if (const CanvasObject* object = canvas_object())
    return object->svg_of(scene);
  return Error{ErrorCode::kUnsupported, kDrawsNothing};
}

Result<std::string> png_of(const Scene& scene) {
  if (const CanvasObject* object = canvas_object())
    return object->png_of(scene);
  return Error{ErrorCode::kUnsupported, kDrawsNothing};
}

}  // namespace tidemark::picture
