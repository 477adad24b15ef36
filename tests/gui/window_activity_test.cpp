// Ranges that somebody chooses: a stretch of reads, what is behind the peak, what is dragged; and
// what is told of an instant that somebody points at.
#include "analyzer/picture/drawing/theme.hpp"
#include "gui/view/basics/look.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <utility>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

std::size_t pixels_of_tooltip(const Picture& before, const Picture& after) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.pixels.size(); ++i) {
    changed += before.pixels[i] == after.pixels[i] ? 0U : 1U;
  }
  return changed;
}

/// From the first to behind the last pixel of a colour.
std::pair<int, int> across_row(const Picture& picture, std::uint32_t colour, int y) {
  std::pair<int, int> across{picture.width, 0};
  for (int x = 0; x < picture.width; ++x) {
    if (picture.at(x, y) == colour) {
      across = {std::min(across.first, x), x + 1};
    }
  }
  return across;
}

/// Where something is held from the begin to the end: the timeline's axis, below its legend.
Area plot_of(const Picture& picture) {
  constexpr int kBelowLegend = 150;
  Picture upper = picture;
  upper.height = picture.height / 2;
  std::fill_n(upper.pixels.begin(), kBelowLegend * picture.width, 0U);
  return box_of(upper, shown(picture::light_theme().lane(trace::Lane::kHeap)));
}

int pixel_at(const Area& plot, double x) {
  return plot.across.begin + static_cast<int>(x * plot.across.size());
}

/// Of a colour in the lower half.
std::size_t pixels_below(const Picture& picture, std::uint32_t colour) {
  const auto half = static_cast<std::ptrdiff_t>(picture.pixels.size() / 2);
  return static_cast<std::size_t>(
      std::count(picture.pixels.begin() + half, picture.pixels.end(), colour));
}

}  // namespace

TEST_CASE("a stretch of reads says what it is, and a click makes it the chosen range", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(200).open_file(model);
  builder.at_ms(700).read(model, 100 * kMiB);
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace, "--pane", "activity"});
  const Picture before = window.look_when_still();
  const auto colour = shown(gui::colour_of(gui::number_of("/m/a.gguf"), false));
  const Area bars = box_of(before, colour);
  REQUIRE(bars.across.size() > before.width / 4);
  constexpr int kInside = 4;

  window.point(bars.across.middle(), bars.down.begin + kInside);
  const Picture told = window.look_when_still();
  // More than an outline.
  CHECK(pixels_of_tooltip(before, told) > 10'000);
  window.click(bars.across.middle(), bars.down.begin + kInside);
  const Picture after = window.look_when_still();

  const auto state = window.saved(trace);
  REQUIRE(state.selection.has_value());
  CHECK(state.selection->begin == Approx(0.2).margin(0.01));
  CHECK(state.selection->end == Approx(0.7).margin(0.01));
  CHECK(state.range.begin > 0.1);
  CHECK(state.range.end < 0.8);
  CHECK(box_of(after, colour).across.size() > bars.across.size());
}

TEST_CASE("a click on a mapping makes its instant the chosen one, in the place of a range",
          "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(200).open_file(model);
  builder.at_ms(400).read(model, 100 * kMiB);
  builder.at_ms(700).map(model, 8 * kMiB);
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace, "--pane", "activity"});
  const auto colour = shown(gui::colour_of(gui::number_of("/m/a.gguf"), false));
  const Area bars = box_of(window.look_when_still(), colour);
  constexpr int kInside = 4;
  window.click(bars.across.middle(), bars.down.begin + kInside);
  REQUIRE(box_of(window.look_when_still(), colour).across.size() > bars.across.size());
  REQUIRE(window.saved(trace).selection.has_value());
  window.press("BackSpace");
  // What was saved is said above all, which moves it.
  const Picture back = window.look_when_still();
  const int y = box_of(back, colour).down.begin + kInside;
  const auto [begin, end] = across_row(back, colour, y);
  REQUIRE(begin > back.width / 8);

  window.click(begin + (end - begin) * 5 / 2, y);
  static_cast<void>(window.look_when_still());

  const auto state = window.saved(trace);
  CHECK_FALSE(state.selection.has_value());
  REQUIRE(state.cursor.has_value());
  CHECK(*state.cursor == Approx(0.7).margin(0.01));
  CHECK(state.range.begin > 0.5);
}

TEST_CASE("a key chooses what is behind the peak, from what is held at it", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(100).allocate(kMiB);
  const auto large = builder.at_ms(400).allocate(100 * kMiB);
  builder.at_ms(402).release(large);
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace, "--pane", "blocks"});
  static_cast<void>(window.look_when_still());

  window.press("shift+p");
  static_cast<void>(window.look_when_still());

  const auto state = window.saved(trace);
  CHECK(state.pane == gui::Pane::kHolders);
  REQUIRE(state.selection.has_value());
  CHECK(state.range.begin < state.selection->begin);
  CHECK(state.range.end > state.selection->end);
  CHECK(state.selection->begin == Approx(0.4).margin(1e-6));
  CHECK(state.selection->begin > 0.4);
  CHECK(state.selection->end == Approx(0.5).margin(1e-6));
}

TEST_CASE("the end of a range that is dragged comes to rest at the peak and at a phase", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(0).allocate(50 * kMiB);
  const auto large = builder.at_ms(400).allocate(50 * kMiB);
  builder.at_ms(402).release(large);
  builder.at_ms(700).begin_phase("convert");
  builder.at_ms(900).end_phase("convert");
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace, "--by", "lane"});
  const Area plot = plot_of(window.look_when_still());
  REQUIRE(plot.across.size() > 1000);
  const int y = plot.down.end - 20;
  const auto dragged_to = [&](double x, int beside) {
    window.press("Escape");
    window.drag_with("ctrl", {pixel_at(plot, 0.2), y}, {pixel_at(plot, x) + beside, y});
    return window.saved(trace).selection;
  };

  const auto peak = dragged_to(0.4, 5);
  const auto phase = dragged_to(0.7, -3);
  const auto neither = dragged_to(0.55, 0);

  REQUIRE(peak.has_value());
  CHECK(peak->end == Approx(0.4).margin(1e-6));
  REQUIRE(phase.has_value());
  CHECK(phase->end == Approx(0.7).margin(1e-6));
  REQUIRE(neither.has_value());
  CHECK(neither->end == Approx(0.55).margin(0.002));
}

TEST_CASE("of a range behind the peak what was given back is shown first", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const auto large =
      builder.at_ms(400).allocate(100 * kMiB, builder.stack({"malloc", "large", "main"}));
  builder.at_ms(402).release(large);
  builder.at_ms(450).allocate(10 * kMiB, builder.stack({"malloc", "late", "main"}));
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  static_cast<void>(window.look_when_still());
  const std::uint32_t gone = shown(picture::light_theme().goes.front());
  const std::uint32_t kept = shown(picture::light_theme().stays.front());

  window.press("shift+p");
  const Picture seen = window.look_when_still();

  // Boxes of the flame graph have the colours of the timeline's layers.
  CHECK(pixels_below(seen, gone) > 2000);
  CHECK(pixels_below(seen, kept) < pixels_below(seen, gone) / 4);
}

TEST_CASE("a tooltip of the timeline is never over what is pointed at, nor outside the window",
          "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  for (std::uint64_t i = 0; i < 7; ++i) {
    builder.at_ms(i).allocate(
        10 * kMiB, builder.stack({"malloc", "a_function_of_a_long_name_" + std::to_string(i)}));
  }
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  const bool is_small = GENERATE(false, true);
  WindowAtWork window;
  window.open({trace, "--size", is_small ? "900x600" : "1600x900"});
  const Picture whole = window.look_when_still();
  const int width = is_small ? 900 : whole.width;

  for (const double x : {0.1, 0.3, 0.49, 0.51, 0.7, 0.9, 0.95}) {
    CAPTURE(x);
    const int at = static_cast<int>(x * width);
    window.point(at, 250);
    const Area told = window.popup_area();
    REQUIRE(told.across.size() > 100);
    CHECK((told.across.end <= at || told.across.begin > at));
    CHECK(told.across.begin >= 0);
    CHECK(told.across.end <= width);
  }
}
