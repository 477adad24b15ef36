#include "gui/view/basics/view_range.hpp"

#include "tests/support/catch.hpp"

#include <array>

using namespace tidemark::gui;

TEST_CASE("zooming keeps what is under the pointer where it is", "[gui]") {
  const auto share = GENERATE(0.0, 0.1, 0.5, 0.93, 1.0);
  const auto factor = GENERATE(0.5, 0.8, 1.25);
  const ViewRange range{0.4, 0.6};
  const double at = range.x_at(share);

  const ViewRange after = zoomed(range, at, factor, 1e-9);

  CHECK(after.width() == Approx(range.width() * factor));
  CHECK(after.share_of(at) == Approx(share).margin(1e-12));
}

TEST_CASE("no zoom and no pan leaves the axis", "[gui]") {
  ViewRange range{0.0, 1.0};
  const std::array<double, 6> factors{0.5, 3, 0.1, 7, 0.01, 1000};
  for (const double factor : factors) {
    for (const double at : {0.0, 0.3, 1.0}) {
      range = panned(zoomed(range, at, factor, 1e-6), at - 0.5);
      CAPTURE(factor, at);
      CHECK(range.begin >= 0);
      CHECK(range.end <= 1);
      CHECK(range.begin < range.end);
    }
  }
}

TEST_CASE("nothing gets narrower than what makes sense", "[gui]") {
  ViewRange range;
  for (int i = 0; i < 1000; ++i) {
    range = zoomed(range, 0.3, 0.5, 1e-6);
  }
  CHECK(range.width() == Approx(1e-6));
}

TEST_CASE("a glide arrives, and most of it soon", "[gui]") {
  Glide glide;
  glide.go_to({0.2, 0.3});
  glide.step(0.12);
  CHECK(glide.now().begin == Approx(0.18));
  for (int frame = 0; frame < 60; ++frame) {
    glide.step(0.016);
  }
  CHECK_FALSE(glide.is_moving());
  CHECK(glide.now() == ViewRange{0.2, 0.3});
}
