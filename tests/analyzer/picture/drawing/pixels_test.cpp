#include "analyzer/picture/drawing/pixels.hpp"

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using picture::parse_pixels;

TEST_CASE("a size in pixels is two whole numbers within its limits", "[picture]") {
  const picture::PixelLimits limits{
      .least = {.width = 320, .height = 200}, .max_side = 1000, .example = "800x520"};

  const auto least = parse_pixels("320x200", limits);
  REQUIRE(least.ok());
  CHECK(least.value().width == 320);
  CHECK(least.value().height == 200);
  CHECK(parse_pixels("1000x1000", limits).ok());

  const std::vector<std::string> mistakes{
      "319x200",   "320x199",  "1001x200", "320x1001", "x200",      "320x", "320",
      "800x450x3", " 800x450", "800X450",  "-800x450", "800x4.5e2", ""};
  for (const std::string& text : mistakes) {
    CAPTURE(text);
    const auto refused = parse_pixels(text, limits);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message == "--size '" + text +
                                         "' is no size in pixels; write it like 800x520, from "
                                         "320x200 to 1000x1000");
  }
}
