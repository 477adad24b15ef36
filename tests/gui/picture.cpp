#include "tests/gui/picture.hpp"

#include <algorithm>
#include <cstring>

#include <cairo.h>

namespace tidemark::tests {

std::size_t Picture::count(std::uint32_t colour) const {
  return static_cast<std::size_t>(std::ranges::count(pixels, colour));
}

Picture read_png(const std::string& path) {
  Picture picture;
  cairo_surface_t* const surface = cairo_image_surface_create_from_png(path.c_str());
  if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
    picture.width = cairo_image_surface_get_width(surface);
    picture.height = cairo_image_surface_get_height(surface);
    const unsigned char* const rows = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) {
        std::uint32_t pixel = 0;
        std::memcpy(&pixel, rows + y * stride + 4 * x, sizeof pixel);
        picture.pixels.push_back(pixel & 0xffffffU);
      }
    }
  }
  cairo_surface_destroy(surface);
  return picture;
}

}  // namespace tidemark::tests
