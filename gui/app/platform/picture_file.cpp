#include "gui/app/platform/picture_file.hpp"

#include <cstddef>
#include <cstring>
#include <memory>

#include <cairo.h>

namespace tidemark::gui {
namespace {

struct SurfaceEnd {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};

cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Result<std::string> png_of(const Pixels& pixels) {
  const std::unique_ptr<cairo_surface_t, SurfaceEnd> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels.width, pixels.height));
  unsigned char* const rows = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; rows != nullptr && y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const std::size_t from =
          4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
               static_cast<std::size_t>(x));
      const auto& rgba = pixels.rgba;
      const std::uint32_t colour = (std::uint32_t{rgba[from]} << 16U) |
                                   (std::uint32_t{rgba[from + 1]} << 8U) | rgba[from + 2];
      std::memcpy(rows + std::ptrdiff_t{y} * stride + std::ptrdiff_t{4} * x, &colour,
                  sizeof colour);
    }
  }
  cairo_surface_mark_dirty(surface.get());
  std::string bytes;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) {
    return Error{ErrorCode::kIo, "the picture could not be made: there is not enough memory"};
  }
  return bytes;
}

}  // namespace tidemark::gui
