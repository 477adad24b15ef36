#include "analyzer/picture/drawing/canvas.hpp"

#include "analyzer/picture/drawing/canvas_object.hpp"
#include "collector/os/own_objects.hpp"

#include <dlfcn.h>

#define TIDEMARK_QUOTED_(name) #name
#define TIDEMARK_QUOTED(name) TIDEMARK_QUOTED_(name)

namespace tidemark::picture {
namespace {

constexpr bool kIsCoreAlone = TIDEMARK_CORE_ALONE;

/// The object of a portable build does not name cairo, which is the system's wherever it runs: its
/// symbols are looked up among those of the process.
void* load_object(const std::string& path) {
  if (TIDEMARK_CAIRO_UNNAMED && dlopen("libcairo.so.2", RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
    return nullptr;
  }
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Null where there is none. Stays loaded.
const CanvasObject* canvas_object() {
  static const CanvasObject* const object = []() -> const CanvasObject* {
    // One that a whole build has left beside it is none of its own.
    const std::string path = kIsCoreAlone ? std::string() : find_own_object(kCanvasObjectFile);
    void* const loaded = path.empty() ? nullptr : load_object(path);
    void* const symbol =
        loaded != nullptr ? dlsym(loaded, TIDEMARK_QUOTED(TIDEMARK_CANVAS_OBJECT)) : nullptr;
    return symbol != nullptr ? reinterpret_cast<GetCanvasObject*>(symbol)() : nullptr;
  }();
  return object;
}

}  // namespace

bool can_draw() {
  return canvas_object() != nullptr;
}

MeasureText cairo_measure() {
  if (const CanvasObject* object = canvas_object()) {
    return object->measure();
  }
  return [](const std::string&, double, bool) { return 0.0; };
}

Result<std::string> png_of(const Scene& scene, double scale) {
  if (const CanvasObject* object = canvas_object()) {
    return object->png_of(scene, scale);
  }
  return Error{ErrorCode::kUnsupported, kDrawsNothing};
}

}  // namespace tidemark::picture
