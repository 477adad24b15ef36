/// How pictures in the window look: colours, type, and the ruler that measures texts.
#pragma once

#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/drawing/theme.hpp"

#include <cstdint>
#include <string_view>

namespace tidemark::gui {

/// All stays borrowed.
struct Look {
  const picture::Theme& theme;
  const picture::Type& type;
  const picture::MeasureText& measure;
  bool dark = false;

  [[nodiscard]] double px(double at_100_percent) const { return type.scale * at_100_percent; }
};

/// Type for a screen at `scale` (1: 100 %, 2: 200 %). Unlike a picture's, it does not grow with the
/// window.
picture::Type screen_type(double scale);

/// One of a dozen colours that can be told apart side by side and on which text is readable. The
/// same number always gives the same colour, neighbouring numbers different ones.
picture::Colour colour_of(std::uint64_t number, bool dark);

/// A number for a text, the same in every run.
std::uint64_t number_of(std::string_view text);

}  // namespace tidemark::gui
