/// Finds lines, buttons and popups in a picture of the window, so that a test can point at them
/// wherever fonts have put them.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "tests/gui/picture.hpp"

#include <vector>

namespace tidemark::tests {

/// From `begin` up to, but not including, `end`.
struct Span {
  int begin = 0;
  int end = 0;

  [[nodiscard]] int size() const { return end - begin; }
  [[nodiscard]] int middle() const { return begin + size() / 2; }
};

struct Area {
  Span across;
  Span down;
};

[[nodiscard]] Area all_of(const Picture& picture);

/// The lines of text in an area, from the top. A row of one colour, such as a frame's, is none.
std::vector<Span> lines_in(const Picture& picture, const Area& area);

/// The stretches of one colour in a row that are at least `least` pixels wide and not of the
/// `background`: the upper rims of buttons.
std::vector<Span> stretches(
    const Picture& picture, int y, const Span& across, int least, std::uint32_t background);

/// The colour that is there most often.
std::uint32_t main_colour(const Picture& picture, const Area& area);

/// The box around the rows and columns that have several pixels of a colour: a line that shines
/// through another may have any colour here and there. Empty: there are few of them, as letters
/// have.
Area box_of(const Picture& picture, std::uint32_t colour);

/// How high a colour stands in each column of an area: pixels of it.
std::vector<int> heights(const Picture& picture, const Area& area, std::uint32_t colour);

/// Where a colour fills at least `min_pixels` of each of ten rows or more, from `top` on.
std::vector<Span> bands_of(const Picture& picture,
                           std::uint32_t colour,
                           int top,
                           std::size_t min_pixels);

/// As a picture has an opaque colour.
std::uint32_t shown(const picture::Colour& colour);

}  // namespace tidemark::tests
