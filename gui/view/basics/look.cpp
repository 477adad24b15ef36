#include "gui/view/basics/look.hpp"

#include <array>

namespace tidemark::gui {
namespace {

struct Rgb {
  double red;
  double green;
  double blue;
};

/// Hues as far apart as possible, in an order that alternates bright and muted ones.
constexpr std::array<Rgb, 12> kHues{{{0.34, 0.64, 0.85},
                                     {0.93, 0.66, 0.18},
                                     {0.35, 0.73, 0.55},
                                     {0.85, 0.45, 0.38},
                                     {0.66, 0.56, 0.84},
                                     {0.74, 0.76, 0.30},
                                     {0.88, 0.56, 0.74},
                                     {0.45, 0.75, 0.78},
                                     {0.78, 0.60, 0.42},
                                     {0.55, 0.66, 0.92},
                                     {0.62, 0.80, 0.40},
                                     {0.80, 0.52, 0.58}}};

}  // namespace

picture::Type screen_type(double scale) {
  return {.scale = scale, .title = 17 * scale, .text = 13 * scale, .small = 12 * scale};
}

picture::Colour colour_of(std::uint64_t number, bool dark) {
  const Rgb& hue = kHues.at(number % kHues.size());
  const picture::Colour colour{hue.red, hue.green, hue.blue, 1};
  return dark ? picture::mixed(colour, {0.04, 0.06, 0.09, 1}, 0.58)
              : picture::mixed(colour, {1, 1, 1, 1}, 0.78);
}

std::uint64_t number_of(std::string_view text) {
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash ^ (hash >> 32U);
}

}  // namespace tidemark::gui
