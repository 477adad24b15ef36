// Somebody who takes findings away, and finds the way around, with the keyboard alone.
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/report/facts/report.hpp"
#include "analyzer/text/size_text.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <string>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// How many pixels of the upper half differ.
std::size_t changed_pixels(const Picture& one, const Picture& other) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.pixels.size() / 2; ++i) {
    count += one.pixels[i] == other.pixels[i] ? 0U : 1U;
  }
  return count;
}

/// The tick boxes in the right half of the lower one, from the top.
std::vector<Area> tick_boxes(const Picture& picture) {
  constexpr int kMinBoxPixels = 9;
  constexpr int kMaxBoxPixels = 24;
  const picture::Theme& theme = picture::light_theme();
  const std::uint32_t frame = shown(picture::mixed(theme.soft, theme.background, 0.14));
  const std::uint32_t background = main_colour(picture, all_of(picture));
  std::vector<Area> boxes;
  for (int y = picture.height / 2; y < picture.height; ++y) {
    for (const Span& rim :
         stretches(picture, y, {picture.width / 2, picture.width}, kMinBoxPixels, background)) {
      const bool is_box = rim.size() <= kMaxBoxPixels && picture.at(rim.middle(), y) == frame;
      const bool is_new = boxes.empty() || y >= boxes.back().down.end;
      if (is_box && is_new) {
        boxes.push_back({rim, {y, y + rim.size()}});
      }
    }
  }
  // All in one column; what looks like one elsewhere is none.
  std::erase_if(boxes, [last = boxes.empty() ? 0 : boxes.back().across.begin](const Area& box) {
    return box.across.begin != last;
  });
  return boxes;
}

/// A window on a load that reads its model whole.
struct NaiveWindow {
  NaiveWindow() {
    append_naive_load(builder);
    trace = builder.finish();
    window.open({trace});
  }
  TraceBuilder builder;  // Has the trace's file.
  std::string trace;
  WindowAtWork window;
};

}  // namespace

TEST_CASE("the largest finding is taken away with a key, and the sentence can be saved", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(1).allocate(1);
  const std::string trace = builder.finish();  // in a folder of its own
  std::filesystem::copy_file(std::string(TIDEMARK_RECORDED_LOADS) + "/tvm-before.tmk", trace,
                             std::filesystem::copy_options::overwrite_existing);
  auto loaded = analyzer::LoadedTrace::open(trace);
  REQUIRE(loaded.ok());
  const auto report = analyzer::build_report(loaded.value(), {});
  REQUIRE(report.ok());
  REQUIRE_FALSE(report.value().anatomy.findings.empty());
  const auto& finding = report.value().anatomy.findings.front();
  REQUIRE(finding.peak_without_bytes.has_value());
  WindowAtWork window;
  window.open({trace});
  const Picture before = window.look_when_still();

  auto state = window.saved(trace);
  REQUIRE(wait_until([&] {
    // Nothing is taken away before it is known.
    window.press("x");
    state = window.saved(trace);
    return !state.unticked.empty();
  }));
  REQUIRE(state.unticked.size() == 1);
  CHECK(state.unticked[0].number == 0);
  // The curve has fallen.
  CHECK(wait_until(
      [&] { return changed_pixels(before, window.look()) > before.pixels.size() / 50; }));

  const std::string text = trace + ".what-if.md";
  REQUIRE(wait_until([&] {
    // Nothing is saved before the load without it is known.
    window.press("shift+s");
    return read_text(text).ends_with(".tmk`\n");
  }));
  CHECK(read_text(text).find("**peak without** | **" +
                             analyzer::format_size(*finding.peak_without_bytes)) !=
        std::string::npos);

  window.press("shift+x");
  CHECK(window.saved(trace).unticked.empty());
}

TEST_CASE("that no finding is left is not said any more once they are put back", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  WindowAtWork window;
  window.bring(std::string(TIDEMARK_RECORDED_LOADS) + "/tvm-before.tmk", "a.tmk");
  window.open({"a.tmk"});
  const picture::Theme& theme = picture::light_theme();
  // Behind what is said there is one colour, across the window but for the letters.
  const auto is_said = [&] {
    const Picture seen = window.look();
    return !bands_of(seen, shown(picture::mixed(theme.soft, theme.background, 0.16)), 0,
                     static_cast<std::size_t>(seen.width) / 2)
                .empty();
  };
  REQUIRE(wait_until([&] {
    window.press("x");
    return is_said();
  }));

  window.press("shift+x");

  CHECK(wait_until([&] { return !is_said(); }));
}

TEST_CASE("what a key has to say moves nothing above the panes", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  NaiveWindow naive;
  WindowAtWork& window = naive.window;
  window.point(5, 880);
  const Picture before = window.look_when_still();

  window.press("s");
  const Picture said = window.look_when_still();

  CHECK(changed_pixels(before, said) == 0);
  CHECK(said.pixels != before.pixels);  // Further down it is said.
}

TEST_CASE("a name that is typed at once behind the key for the search is searched for", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  NaiveWindow naive;
  WindowAtWork& window = naive.window;
  (void)window.look_when_still();

  // E is a key of the window, too: it exports.
  window.do_at_once({"type", "--delay", "0", "/empty"});
  (void)window.look_when_still();
  window.press("Return");
  (void)window.look_when_still();

  const auto found = window.saved(naive.trace);
  CHECK_THAT(found.wanted, Catch::EndsWith("Empty"));
  CHECK(found.pane == gui::Pane::kHolders);
}

TEST_CASE("a tooltip goes with the pointer that leaves the window at once", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  NaiveWindow naive;
  WindowAtWork& window = naive.window;
  window.do_at_once({"windowsize", window.id(), "1200", "800"});
  (void)window.look_when_still();
  window.point(600, 250);
  REQUIRE(window.popup_area().across.size() > 0);

  window.point(1400, 850);

  CHECK(window.has_no_popup());
}

TEST_CASE("a phase is found by its name, and the way back is one key", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(100).allocate(1000, builder.stack({"malloc", "main"}));
  builder.at_ms(400).begin_phase("convert");
  builder.at_ms(500).allocate(1000);
  builder.at_ms(500).end_phase("convert");
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  (void)window.look_when_still();

  window.press("slash");
  (void)window.look_when_still();
  window.type("what is not there");
  (void)window.look_when_still();
  // As fast typists do: Ctrl is up before A is.
  window.do_at_once({"keydown", "ctrl"});
  (void)window.look_when_still();
  window.do_at_once({"keydown", "a", "keyup", "ctrl", "keyup", "a"});
  window.type("conv");
  (void)window.look_when_still();
  window.press("Return");
  (void)window.look_when_still();
  const auto there = window.saved(trace);
  CHECK(there.range.begin > 0.3);
  CHECK(there.range.end < 0.6);
  REQUIRE(there.selection.has_value());
  CHECK(there.selection->begin == Approx(0.4).margin(0.01));
  CHECK(there.selection->end == Approx(0.5).margin(0.01));

  window.press("BackSpace");
  (void)window.look_when_still();
  CHECK(window.saved(trace).range == gui::ViewRange{});
  window.press("shift+BackSpace");
  (void)window.look_when_still();
  CHECK(window.saved(trace).range.begin > 0.3);

  window.press("ctrl+Up");
  (void)window.look_when_still();
  CHECK(window.saved(trace).height < 1);
  window.press("f");
  CHECK(window.saved(trace).height == 1);
}

TEST_CASE("the tick box under the pointer is the one that a click unticks", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    builder.at_ms(i).allocate((50 - 10 * i) * kMiB,
                              builder.stack({"malloc", "function_" + std::to_string(i), "main"}));
  }
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  WindowAtWork window;
  window.open({trace});
  const auto boxes = tick_boxes(window.look_when_still());
  REQUIRE(boxes.size() >= 3);

  for (const std::size_t row : {2U, 0U}) {
    CAPTURE(row);
    window.point(boxes[row].across.middle(), boxes[row].down.middle());
    (void)window.look_when_still();
    window.click(boxes[row].across.middle(), boxes[row].down.middle());
    (void)window.look_when_still();
    const auto unticked = window.saved(trace).unticked;
    REQUIRE(unticked.size() == 1);
    CHECK(unticked[0].text.find("function_" + std::to_string(row + 1)) != std::string::npos);
    window.press("shift+x");
    // What was saved is said above, which moves the rows.
    window.press("Escape");
    (void)window.look_when_still();
  }
}
