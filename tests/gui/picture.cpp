#include "tests/gui/picture.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include <cairo.h>

namespace tidemark::tests {

std::size_t Picture::count(std::uint32_t colour) const {
  return static_cast<std::size_t>(std::ranges::count(pixels, colour));
}

std::size_t Picture::colours() const {
  std::vector<std::uint32_t> all = pixels;
  std::ranges::sort(all);
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
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

/// X11/XWDFile.h: words of 32 bits, the high byte first; behind them colours of 12 bytes each.
Picture read_xwd(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto word = [&](std::size_t index) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = (value << 8U) | static_cast<unsigned char>(bytes.at(4 * index + i));
    }
    return value;
  };
  Picture picture;
  picture.width = static_cast<int>(word(4));
  picture.height = static_cast<int>(word(5));
  const std::size_t begin = word(0) + std::size_t{12} * word(19);
  const std::size_t row_bytes = word(12);
  picture.pixels.resize(std::size_t{word(4)} * word(5));
  for (std::size_t y = 0; y < word(5); ++y) {
    std::uint32_t* const row = picture.pixels.data() + y * word(4);
    bytes.copy(reinterpret_cast<char*>(row), std::size_t{4} * word(4), begin + y * row_bytes);
    std::ranges::for_each(row, row + word(4), [](std::uint32_t& pixel) { pixel &= 0xffffffU; });
  }
  return picture;
}

}  // namespace tidemark::tests
