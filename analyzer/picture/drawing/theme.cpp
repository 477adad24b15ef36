#include "analyzer/picture/drawing/theme.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tidemark::picture {
namespace {

/// 0xRRGGBB.
Colour hex(std::uint32_t rgb) {
  const auto part = [rgb](unsigned shift) {
    return static_cast<double>((rgb >> shift) & 0xffU) / 255.0;
  };
  return {part(16), part(8), part(0), 1};
}

/// Relative, as WCAG 2 defines it.
double luminance(const Colour& colour) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

}  // namespace

const Theme& light_theme() {
  static const Theme theme{
      .background = hex(0xffffff),
      .ink = hex(0x1f2328),
      .soft = hex(0x59636e),
      .grid = hex(0xdde2e7),
      // heap, anon, file, device, shared
      .lanes = {hex(0x56a3d9), hex(0xe69f00), hex(0xa8568a), hex(0x006b4e), hex(0x6a63c4)},
      .stays = {hex(0x7a68c8), hex(0x4ba3d6), hex(0x1f8a70), hex(0xb3a8e6), hex(0x35528f),
                hex(0x7cc7b2), hex(0xa9cbe8)},
      .goes = {hex(0xe0533d), hex(0xf2b04c), hex(0xa3275f), hex(0xf59a83), hex(0x8a4b1c),
               hex(0xd98ab0), hex(0xcfa43a)},
      .rests = {hex(0xc3cad1), hex(0xd9d4ee)},
      .footprint = hex(0x0b3c5d),
      .resident = hex(0xc23b00),
      .other = hex(0x6e7781),
      .model = hex(0x1f2328),
      .phases = {hex(0xdfe5ec), hex(0xc9d2dc)},
      .progress = hex(0x6e7781),
      .more = hex(0xd55e00),
      .less = hex(0x009e73),
      .warning = hex(0xb30000),
  };
  return theme;
}

const Theme& dark_theme() {
  static const Theme theme{
      .background = hex(0x0d1117),
      .ink = hex(0xf0f6fc),
      .soft = hex(0x9aa4af),
      .grid = hex(0x2a313a),
      .lanes = {hex(0x2b7ab8), hex(0xe69f00), hex(0xcc79a7), hex(0x7fe0bd), hex(0xa9a4f2)},
      .stays = {hex(0x8d7ce0), hex(0x3b8fc4), hex(0x2a9d84), hex(0xb9aef0), hex(0x4c6cb5),
                hex(0x86d1bc), hex(0x9cc4e4)},
      .goes = {hex(0xe2604a), hex(0xe0a243), hex(0xbf4379), hex(0xf0a08c), hex(0xa8642f),
               hex(0xd58fb3), hex(0xc9a648)},
      .rests = {hex(0x4b545e), hex(0x5a5478)},
      .footprint = hex(0xa5d8ff),
      .resident = hex(0xff9a5c),
      .other = hex(0x9aa4af),
      .model = hex(0xf0f6fc),
      .phases = {hex(0x21272f), hex(0x323a45)},
      .progress = hex(0x9aa4af),
      .more = hex(0xe8731a),
      .less = hex(0x2fbf93),
      .warning = hex(0xff8f8f),
  };
  return theme;
}

Theme with_layers(Theme theme) {
  theme.resident = theme.ink;
  theme.footprint = mixed(theme.ink, theme.background, 0.55);
  return theme;
}

Colour mixed(const Colour& over, const Colour& under, double share) {
  const auto mix = [share](double a, double b) { return a * share + b * (1 - share); };
  return {mix(over.red, under.red), mix(over.green, under.green), mix(over.blue, under.blue), 1};
}

double contrast(const Colour& one, const Colour& other) {
  const double first = luminance(one);
  const double second = luminance(other);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

Colour ink_on(const Colour& fill) {
  constexpr Colour kDark{0.03, 0.035, 0.045, 1};
  constexpr Colour kWhite{1, 1, 1, 1};
  return contrast(kDark, fill) > contrast(kWhite, fill) ? kDark : kWhite;
}

Colour as_text(const Colour& colour, const Theme& theme) {
  constexpr double kStep = 0.05;
  Colour text = colour;
  for (double share = kStep; contrast(text, theme.background) < kTextContrast && share < 1;
       share += kStep) {
    text = mixed(theme.ink, colour, share);
  }
  return text;
}

Colour faded(const Colour& colour, double alpha) {
  return {colour.red, colour.green, colour.blue, alpha};
}

}  // namespace tidemark::picture
