// What is written can be read, in both themes: WCAG 2, level AA.
#include "analyzer/picture/drawing/theme.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace tidemark::picture;

namespace {

/// What a label may stand on.
std::vector<Colour> fills_of(const Theme& theme) {
  std::vector<Colour> fills(theme.lanes.begin(), theme.lanes.end());
  fills.insert(fills.end(), theme.stays.begin(), theme.stays.end());
  fills.insert(fills.end(), theme.goes.begin(), theme.goes.end());
  fills.insert(fills.end(), theme.rests.begin(), theme.rests.end());
  fills.insert(fills.end(), theme.phases.begin(), theme.phases.end());
  return fills;
}

}  // namespace

TEST_CASE("contrast is WCAG's", "[palette]") {
  const Colour black{0, 0, 0, 1};
  const Colour white{1, 1, 1, 1};
  const Colour grey{0x77 / 255.0, 0x77 / 255.0, 0x77 / 255.0, 1};
  CHECK(contrast(black, white) == Approx(21));
  CHECK(contrast(white, white) == Approx(1));
  CHECK(contrast(grey, white) == Approx(4.48).margin(0.005));
}

TEST_CASE("text can be read in both themes", "[palette]") {
  for (const Theme* const theme : {&light_theme(), &dark_theme()}) {
    CHECK(contrast(theme->ink, theme->background) >= 7);
    CHECK(contrast(theme->soft, theme->background) >= kTextContrast);
    CHECK(contrast(theme->warning, theme->background) >= kTextContrast);
    for (const Colour& phase : theme->phases) {
      CHECK(contrast(theme->ink, phase) >= kTextContrast);
    }
    for (const Colour& colour : {theme->more, theme->less, theme->resident, theme->other}) {
      CHECK(contrast(as_text(colour, *theme), theme->background) >= kTextContrast);
    }
    for (const Colour& fill : fills_of(*theme)) {
      CAPTURE(fill.red, fill.green, fill.blue);
      CHECK(contrast(ink_on(fill), fill) >= kTextContrast);
    }
  }
}

TEST_CASE("lines stand out from the background in both themes", "[palette]") {
  for (const Theme* const plain : {&light_theme(), &dark_theme()}) {
    const Theme layered = with_layers(*plain);
    for (const Theme& theme : {*plain, layered}) {
      for (const Colour& line : {theme.footprint, theme.resident, theme.other, theme.model,
                                 theme.progress, theme.more, theme.less}) {
        CAPTURE(line.red, line.green, line.blue);
        CHECK(contrast(line, theme.background) >= 3);
      }
    }
  }
}
