#include "analyzer/picture/drawing/pixels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace tidemark::picture {
namespace {

/// 0 for what is no whole number.
int whole_number(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && rest == end ? number : 0;
}

}  // namespace

Result<Pixels> parse_pixels(const std::string& text, const PixelLimits& limits) {
  const std::string_view all = text;
  const auto cross = std::min(all.find('x'), all.size());
  const Pixels pixels{
      .width = whole_number(all.substr(0, cross)),
      .height = cross < all.size() ? whole_number(all.substr(cross + 1)) : 0,
  };
  if (pixels.width < limits.least.width || pixels.height < limits.least.height ||
      std::max(pixels.width, pixels.height) > limits.max_side) {
    return Error{ErrorCode::kUsage,
                 fmt::format("--size '{}' is no size in pixels; write it like {}, from {}x{} to "
                             "{}x{}",
                             text, limits.example, limits.least.width, limits.least.height,
                             limits.max_side, limits.max_side)};
  }
  return pixels;
}

}  // namespace tidemark::picture
