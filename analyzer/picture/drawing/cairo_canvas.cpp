// The object that is loaded once something is drawn: cairo brings twenty libraries, and most
// commands draw nothing.
#include "analyzer/picture/drawing/canvas_object.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

#include <cairo.h>

namespace tidemark::picture {
namespace {

constexpr const char* kFont = "DejaVu Sans";

struct Close {
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Context = std::unique_ptr<cairo_t, Close>;
using Surface = std::unique_ptr<cairo_surface_t, Close>;

Context context_on(cairo_surface_t* surface) {
  Context context(cairo_create(surface));
  const std::unique_ptr<cairo_font_options_t, Close> options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context.get(), options.get());
  return context;
}

void set_font(cairo_t* cairo, double size, bool bold) {
  cairo_select_font_face(cairo, kFont, CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, size);
}

void set_colour(cairo_t* cairo, const Colour& colour) {
  cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

void add_path(cairo_t* cairo, const std::vector<Point>& points) {
  cairo_new_path(cairo);
  for (const Point& point : points) {
    cairo_line_to(cairo, point.x, point.y);
  }
}

/// Diagonal lines over the area that the current path encloses.
void hatch(cairo_t* cairo) {
  constexpr double kSpacing = 6;
  std::array<double, 4> edges{};  // left, top, right, bottom
  cairo_path_extents(cairo, &edges[0], &edges[1], &edges[2], &edges[3]);
  const auto [left, top, right, bottom] = edges;
  cairo_save(cairo);
  cairo_clip(cairo);
  for (double x = left - (bottom - top); x < right; x += kSpacing) {
    cairo_move_to(cairo, x, bottom);
    cairo_line_to(cairo, x + (bottom - top), top);
  }
  cairo_set_line_width(cairo, 1);
  cairo_stroke(cairo);
  cairo_restore(cairo);
}

void draw(cairo_t* cairo, const Fill& fill) {
  if (fill.outline.empty()) {
    return;
  }
  set_colour(cairo, fill.colour);
  add_path(cairo, fill.outline);
  cairo_close_path(cairo);
  if (fill.hatched) {
    hatch(cairo);
  } else {
    cairo_fill(cairo);
  }
}

void draw(cairo_t* cairo, const Stroke& stroke) {
  const std::array<double, 2> dashes{4 * stroke.width, 3 * stroke.width};
  cairo_set_dash(cairo, dashes.data(), stroke.dashed ? 2 : 0, 0);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_BEVEL);
  cairo_set_line_width(cairo, stroke.width);
  set_colour(cairo, stroke.colour);
  add_path(cairo, stroke.points);
  cairo_stroke(cairo);
}

void draw(cairo_t* cairo, const Label& label) {
  set_font(cairo, label.size, label.bold);
  set_colour(cairo, label.colour);
  cairo_move_to(cairo, label.baseline.x, label.baseline.y);
  cairo_show_text(cairo, label.text.c_str());
}

std::string reason(cairo_status_t status) {
  return status == CAIRO_STATUS_INVALID_SIZE ? "it is too large" : "there is not enough memory";
}

Status draw_all(cairo_surface_t* surface, const Scene& scene) {
  const Context context = context_on(surface);
  set_colour(context.get(), scene.background);
  cairo_paint(context.get());
  for (const auto& item : scene.items) {
    std::visit([&](const auto& shape) { draw(context.get(), shape); }, item);
  }
  cairo_show_page(context.get());
  if (const auto status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS) {
    return Error{ErrorCode::kIo, "cannot draw the picture: " + reason(status)};
  }
  return success();
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

MeasureText measure() {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const std::shared_ptr<cairo_t> context = context_on(surface.get());
  return [context](const std::string& text, double size, bool bold) {
    set_font(context.get(), size, bold);
    cairo_text_extents_t extents{};
    cairo_text_extents(context.get(), text.c_str(), &extents);
    return extents.x_advance;
  };
}

Result<std::string> to_png(const Scene& scene, double scale) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                   static_cast<int>(scene.width * scale),
                                                   static_cast<int>(scene.height * scale)));
  cairo_surface_set_device_scale(surface.get(), scale, scale);
  if (auto status = draw_all(surface.get(), scene); !status.ok()) {
    return status.error();
  }
  std::string bytes;
  const auto status = cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) {
    return Error{ErrorCode::kIo, "cannot make a PNG of the picture: " + reason(status)};
  }
  return bytes;
}

}  // namespace
}  // namespace tidemark::picture

[[gnu::visibility("default")]] const tidemark::picture::CanvasObject* TIDEMARK_CANVAS_OBJECT() {
  using namespace tidemark::picture;  // the function's own words
  static constexpr CanvasObject kObject{measure, to_png};
  return &kObject;
}
