// Ranges that somebody chooses: a stretch of reads, what is behind the peak.
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
  window.open({trace});
  static_cast<void>(window.look_when_still());

  window.press("shift+p");
  static_cast<void>(window.look_when_still());

  const auto state = window.saved(trace);
  REQUIRE(state.selection.has_value());
  CHECK(state.selection->begin == Approx(0.4).margin(1e-6));
  CHECK(state.selection->begin > 0.4);
  CHECK(state.selection->end == Approx(0.5).margin(1e-6));
}
