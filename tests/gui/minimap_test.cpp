#include "gui/view/timeline/minimap.hpp"

#include "tests/analyzer/picture/scenes.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <vector>

using namespace tidemark;
using gui::Grip;
using gui::ViewRange;

TEST_CASE("edges of the handle can be taken, and what is between them", "[gui]") {
  const ViewRange range{0.4, 0.6};
  CHECK(gui::grip_at(range, 0.30, 0.01) == Grip::kBeside);
  CHECK(gui::grip_at(range, 0.395, 0.01) == Grip::kBegin);
  CHECK(gui::grip_at(range, 0.405, 0.01) == Grip::kBegin);
  CHECK(gui::grip_at(range, 0.5, 0.01) == Grip::kMiddle);
  CHECK(gui::grip_at(range, 0.605, 0.01) == Grip::kEnd);
  CHECK(gui::grip_at(range, 0.62, 0.01) == Grip::kBeside);
}

TEST_CASE("a handle that is narrower than its edges can still be moved", "[gui]") {
  const ViewRange range{0.5, 0.503};
  CHECK(gui::grip_at(range, 0.5015, 0.01) == Grip::kMiddle);
  CHECK(gui::grip_at(range, 0.495, 0.01) == Grip::kBegin);
  CHECK(gui::grip_at(range, 0.508, 0.01) == Grip::kEnd);
}

TEST_CASE("an edge that is pulled zooms, the middle pans, and neither leaves the axis", "[gui]") {
  const ViewRange range{0.4, 0.6};
  CHECK(gui::pulled(range, Grip::kBegin, -0.1, 0.01).begin == Approx(0.3));
  CHECK(gui::pulled(range, Grip::kBegin, -0.1, 0.01).end == 0.6);
  CHECK(gui::pulled(range, Grip::kBegin, -9, 0.01).begin == 0);
  CHECK(gui::pulled(range, Grip::kBegin, 9, 0.01).begin == Approx(0.59));
  CHECK(gui::pulled(range, Grip::kEnd, 9, 0.01).end == 1);
  CHECK(gui::pulled(range, Grip::kEnd, -9, 0.01).end == Approx(0.41));
  CHECK(gui::pulled(range, Grip::kMiddle, 0.1, 0.01).begin == Approx(0.5));
  CHECK(gui::pulled(range, Grip::kMiddle, 9, 0.01).end == Approx(1));
  CHECK(gui::pulled(range, Grip::kMiddle, 9, 0.01).width() == Approx(0.2));
}

TEST_CASE("the strip has the curve of each trace, and its handle where the range is", "[gui]") {
  const std::vector<std::vector<picture::StackedColumn>> traces(
      2, std::vector<picture::StackedColumn>(100));
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  scene.width = 120;
  scene.height = 20;
  draw_minimap(scene, {.traces = traces, .highest = 10, .range = {0.25, 0.5}, .notes = {0.75}},
               {10, 0, 100, 20}, look);

  const auto curves = tests::fills_of(scene, picture::Part::kRange);
  CHECK(std::ranges::max_element(curves, {}, &picture::Point::x)->x == 110);
  const auto edges = tests::fills_of(scene, picture::Part::kLegend);
  REQUIRE_FALSE(edges.empty());
  CHECK(std::ranges::min_element(edges, {}, &picture::Point::x)->x == Approx(35).margin(2));
  CHECK(std::ranges::max_element(edges, {}, &picture::Point::x)->x == Approx(60).margin(2));
}
