// In the place of canvas.cpp where there is no cairo.
#include "analyzer/picture/drawing/canvas.hpp"

namespace tidemark::picture {

bool can_draw() {
  return false;
}

MeasureText cairo_measure() {
  return [](const std::string&, double, bool) { return 0.0; };
}

Result<std::string> svg_of(const Scene&) {
  return Error{ErrorCode::kUnsupported, kDrawsNothing};
}

Result<std::string> png_of(const Scene&) {
  return Error{ErrorCode::kUnsupported, kDrawsNothing};
}

}  // namespace tidemark::picture
