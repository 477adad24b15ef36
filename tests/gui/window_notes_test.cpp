// Somebody who writes notes beside a trace, and finds the way around it by the strip below.
#include "analyzer/picture/drawing/theme.hpp"
#include "gui/view/session/notes.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

std::string a_second_long(TraceBuilder& builder) {
  builder.at_ms(100).allocate(std::uint64_t{1} << 30U, builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  return builder.finish();
}

gui::Notes notes_in(const std::string& file) {
  const auto notes = gui::parse_notes(read_text(file));
  return notes.ok() ? notes.value() : gui::Notes();
}

/// Types a note at the instant that is chosen.
void write_note(const WindowAtWork& window, const std::string& text) {
  window.press("n");
  (void)window.look_when_still();
  window.type(text);
  (void)window.look_when_still();
  window.press("Return");
}

/// The strip of the whole recording, by the two upright bars of its handle. Empty: there is none.
Area strip_in(const Picture& picture) {
  const std::uint32_t ink = shown(picture::light_theme().ink);
  constexpr int kMinPixels = 20;
  constexpr int kMaxPixels = 40;
  Area found{{picture.width, 0}, {picture.height, picture.height}};
  for (int x = 0; x < picture.width; ++x) {
    for (int y = picture.height / 4; y < picture.height; ++y) {
      const int begin = y;
      while (y < picture.height && picture.at(x, y) == ink) {
        ++y;
      }
      if (y - begin >= kMinPixels && y - begin <= kMaxPixels) {
        found.across = {std::min(found.across.begin, x), x + 1};
        found.down = {begin, y};
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a note is kept beside the trace, gone back to, and taken away", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const std::string trace = a_second_long(builder);
  const std::string bytes = read_text(trace);
  const std::string file = trace + ".notes";
  WindowAtWork window;
  window.open({trace});
  const Picture before = window.look_when_still();

  window.click(before.width / 2, before.height / 3);
  (void)window.look_when_still();
  write_note(window, "here it waits");
  REQUIRE(wait_until([&] { return notes_in(file).size() == 1; }));
  const gui::Note note = notes_in(file).front();
  CHECK(note.text == "here it waits");
  CHECK(note.at_ns > 400'000'000);
  CHECK(note.at_ns < 600'000'000);
  CHECK(read_text(trace) == bytes);

  // Whoever opens it again finds it there.
  window.close();
  window.open({trace});
  (void)window.look_when_still();
  window.press("bracketright");
  (void)window.look_when_still();
  CHECK_FALSE(window.saved(trace).cursor.has_value());  // It is in the middle: none behind that.
  window.press("bracketleft");
  (void)window.look_when_still();
  const auto cursor = window.saved(trace).cursor;
  REQUIRE(cursor.has_value());
  CHECK(*cursor == Approx(static_cast<double>(note.at_ns) / 1e9).margin(0.001));

  window.press("n");
  (void)window.look_when_still();
  window.press("ctrl+a");
  window.press("BackSpace");
  (void)window.look_when_still();
  window.press("Return");
  CHECK(wait_until([&] { return notes_in(file).empty(); }));
}

TEST_CASE("notes never take the place of a file that is none, and the window says so", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const std::string trace = a_second_long(builder);
  const std::string file = trace + ".notes";
  std::ofstream(file) << "a shopping list";
  WindowAtWork window;
  window.open({trace});
  const Picture said = window.look_when_still();
  window.press("Escape");
  CHECK(window.look_when_still().pixels != said.pixels);

  write_note(window, "and milk");
  (void)window.look_when_still();

  CHECK(read_text(file) == "a shopping list");
}

TEST_CASE("below a part of the recording lies the whole of it, whose handle moves the part",
          "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const std::string trace = a_second_long(builder);
  WindowAtWork window;
  window.open({trace});
  const Picture whole = window.look_when_still();
  for (int i = 0; i < 6; ++i) {
    window.press("plus");
  }
  const Picture zoomed = window.look_when_still();
  const auto range = window.saved(trace).range;
  REQUIRE(range.width() < 0.1);

  const Area strip = strip_in(zoomed);
  REQUIRE(strip.down.size() > 15);
  CHECK(strip_in(whole).down.size() == 0);
  const int y = strip.down.middle();
  window.drag({strip.across.middle(), y}, {strip.across.middle() + 200, y});
  (void)window.look_when_still();
  const auto moved = window.saved(trace).range;
  CHECK(moved.begin > range.begin + 0.1);
  CHECK(moved.width() == Approx(range.width()));

  const Area there = strip_in(window.look_when_still());
  window.drag({there.across.end - 1, y}, {there.across.end + 100, y});
  (void)window.look_when_still();
  const auto wider = window.saved(trace).range;
  CHECK(wider.begin == Approx(moved.begin).margin(0.002));
  CHECK(wider.end > moved.end + 0.04);
}
