#include "gui/view/basics/view_range.hpp"

#include "gui/view/basics/range_ends.hpp"
#include "gui/view/timeline/axis_ticks.hpp"
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

namespace {

/// One second; a peak at 400 ms, a phase from 300 to 600 ms.
tidemark::picture::Subject a_subject() {
  tidemark::picture::Subject subject;
  subject.duration_ns = 1'000'000'000;
  subject.peak_at.at_ns = 400'000'000;
  subject.phases.push_back({"read", 300'000'000, 600'000'000});
  return subject;
}

const tidemark::picture::Warp kOneSecond({{0, 0}, {1, 1'000'000'000}});

}  // namespace

TEST_CASE("a range that begins a little beside the peak begins right behind it", "[gui]") {
  const auto marks = range_marks(a_subject(), kOneSecond);
  const double begin = GENERATE(0.396, 0.4, 0.404);

  const ViewRange range = snapped({begin, 0.5}, marks, 0.005);

  CHECK(kOneSecond.ns_at(range.begin) == 400'000'001);
  CHECK(range.end == 0.5);
}

TEST_CASE("a range that ends at the peak has it in it, and one at a phase has that", "[gui]") {
  const auto marks = range_marks(a_subject(), kOneSecond);

  CHECK(kOneSecond.ns_at(snapped({0.1, 0.396}, marks, 0.005).end) == 400'000'000);
  const ViewRange phase = snapped({0.302, 0.599}, marks, 0.005);
  CHECK(kOneSecond.ns_at(phase.begin) == 300'000'000);
  CHECK(kOneSecond.ns_at(phase.end) == 600'000'000);
}

TEST_CASE("what is farther from a mark than one can mean stays where it is", "[gui]") {
  const auto marks = range_marks(a_subject(), kOneSecond);
  for (const ViewRange& range : {ViewRange{0.406, 0.5}, ViewRange{0.304, 0.5}}) {
    CHECK(snapped(range, marks, 0.005) == range);
  }
}

TEST_CASE("of a range whose ends both lie beside the peak, the nearer one goes there", "[gui]") {
  const auto marks = range_marks(a_subject(), kOneSecond);

  const ViewRange range = snapped({0.401, 0.404}, marks, 0.005);

  CHECK(kOneSecond.ns_at(range.begin) == 400'000'001);
  CHECK(range.end == 0.404);
}

TEST_CASE("the time behind the peak ends with the trace", "[gui]") {
  const ViewRange range = behind_peak(a_subject(), kOneSecond, 100'000'000);
  CHECK(kOneSecond.ns_at(range.begin) == 400'000'001);
  CHECK(kOneSecond.ns_at(range.end) == 500'000'000);
  CHECK(behind_peak(a_subject(), kOneSecond, 5'000'000'000).end == 1);
}

TEST_CASE("a range is told with its length", "[gui]") {
  CHECK(range_text(4'965'000'000, 5'068'000'000) == "from 4.965 s to 5.068 s, 103 ms");
}
