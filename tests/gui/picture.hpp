/// Pictures of the window, to look into.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tidemark::tests {

struct Picture {
  int width = 0;  ///< 0: it could not be read.
  int height = 0;
  std::vector<std::uint32_t> pixels;  ///< 0xRRGGBB, rows from the top.

  [[nodiscard]] std::uint32_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  [[nodiscard]] std::size_t count(std::uint32_t colour) const;
  /// How many different ones there are.
  [[nodiscard]] std::size_t colours() const;
};

Picture read_png(const std::string& path);
/// As an X server with a framebuffer in a file keeps its screen: 32 bits a pixel.
Picture read_xwd(const std::string& path);

}  // namespace tidemark::tests
