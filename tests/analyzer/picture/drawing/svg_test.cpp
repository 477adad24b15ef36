#include "analyzer/picture/drawing/svg.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;
using Catch::Matchers::Contains;

namespace {

picture::Scene scene_of(std::variant<picture::Fill, picture::Stroke, picture::Label> item) {
  return {.width = 80, .height = 40, .background = {1, 1, 1, 1}, .items = {std::move(item)}};
}

}  // namespace

TEST_CASE("text in an SVG is text, fitted to the width that it was measured with", "[plot]") {
  const auto svg = picture::svg_document(scene_of(picture::Label{
      "std::vector<int>  a & b", {3, 12.5}, 10, true, {0, 0, 0, 1}, {3, 5, 70.25, 10}}));

  CHECK_THAT(svg, Contains("<text x=\"3\" y=\"12.5\" font-size=\"10\" font-weight=\"bold\" "
                           "fill=\"#000000\" textLength=\"70.25\" "
                           "lengthAdjust=\"spacingAndGlyphs\">"
                           "std::vector&lt;int&gt;  a &amp; b</text>"));
  CHECK_THAT(svg, Contains("font-family=\"DejaVu Sans,") && Contains("sans-serif\""));
  CHECK_THAT(svg, Contains("style=\"white-space:pre\""));  // Two blanks stay two.
}

TEST_CASE("steps are written with one number each", "[plot]") {
  const auto svg = picture::svg_document(scene_of(picture::Stroke{
      picture::Part::kGrid, {1, 0, 0, 0.5}, 1, {{1, 2}, {5, 2}, {5, 9.999}, {6, 4}}, true}));

  CHECK_THAT(svg, Contains("d=\"M1 2H5V10L6 4\" fill=\"none\" stroke=\"#ff0000\" "
                           "stroke-opacity=\"0.5\""));
  CHECK_THAT(svg, Contains("stroke-dasharray=\"4 3\""));
}

TEST_CASE("a hatched area names a pattern that is there", "[plot]") {
  const auto svg = picture::svg_document(scene_of(
      picture::Fill{picture::Part::kFileMapping, {0, 0, 1, 1}, {{0, 0}, {5, 0}, {5, 5}}, true}));

  CHECK_THAT(svg, Contains("<pattern id=\"hatch0\"") && Contains("fill=\"url(#hatch0)\""));
}
