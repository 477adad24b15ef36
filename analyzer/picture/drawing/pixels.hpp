/// The size of a picture or window, as the option --size has it.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::picture {

struct Pixels {
  int width = 0;
  int height = 0;
};

struct PixelLimits {
  Pixels least;
  int max_side = 0;
  const char* example = "";  ///< Shown to those who wrote something else.
};

/// Reads `WIDTHxHEIGHT`. @return kUsage with a sentence that names the option and the limits.
Result<Pixels> parse_pixels(const std::string& text, const PixelLimits& limits);

}  // namespace tidemark::picture
