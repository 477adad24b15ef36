// Pictures that somebody exports from the window, as files.
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

enum class Exported : std::size_t { kTimeline = 1, kPane = 2 };  // Behind the field of the name.

/// E, the name, and a button, as a person does it.
bool export_as(const WindowAtWork& window, const std::string& name, Exported what) {
  constexpr int kMinWidthPixels = 40;
  // A pane that is not ready yet has no picture.
  static_cast<void>(window.look_when_still());
  // Where nothing tells about what is below the pointer, which would look like a popup.
  window.point(560, 10);
  window.press("e");
  // What lies on the screen may be half a frame: the popup's ground, and no buttons on it yet.
  Popup popup;
  std::vector<Span> rims;  // Upper ones, above the texts: the name's and the buttons'.
  REQUIRE(wait_until([&] {
    popup = window.popup(3);
    const Picture now = window.look();
    rims = stretches(now, popup.lines.at(1).begin - 2, popup.area.across, kMinWidthPixels,
                     main_colour(now, popup.area));
    return rims.size() == 3;
  }));
  const Span& row = popup.lines.at(1);
  window.click(rims.at(0).middle(), row.middle());
  window.press("ctrl+a");
  window.type(name);
  window.click(rims.at(static_cast<std::size_t>(what)).middle(), row.middle());
  return wait_until([&] { return std::filesystem::exists(window.path(name)); });
}

/// How many letters of an SVG take room in a browser: cairo draws each as a `use` of its shape.
/// None where there is no browser.
std::optional<std::size_t> letters_in_browser(const WindowAtWork& window, const std::string& name) {
  if (std::system("command -v chromium >/dev/null && command -v python3 >/dev/null") != 0) {
    SKIP_TEST("SVG in a browser, there is no chromium and python3 here");
    return std::nullopt;
  }
  // A browser puts a parsererror into what is not well-formed.
  std::ofstream(window.file("steps.json")) << nlohmann::json::array(
      {{{"evaluate", "document.querySelectorAll('parsererror').length"}},
       {{"evaluate",
         "[...document.querySelectorAll('text')].filter(t => t.getBoundingClientRect().width > 0)"
         ".map(t => t.textContent).join('').length"}}});
  Command browser;
  browser.words = {"python3", TIDEMARK_BROWSER, "chromium", window.path(name),
                   window.file("steps.json")};
  const Outcome said = run(browser, window.file("browser"));
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto json = nlohmann::json::parse(said.out);
  CHECK(json.at("errors").empty());
  CHECK(json.at("values").at(0) == 0);
  return json.at("values").at(1).get<std::size_t>();
}

}  // namespace

TEST_CASE("the timeline and every pane can be exported as PNG and as SVG", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder naive;
  append_naive_load(naive);
  // Bytes that are seen to go from the file into a block are what the findings draw.
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30U;
  const auto block = naive.allocate(kBytes, naive.stack({"malloc", "load", "main"}));
  naive.read_into(naive.file("/models/more.params", kBytes), kBytes, block);
  TraceBuilder streamed;
  append_streamed_load(streamed);
  WindowAtWork window;
  window.open({naive.finish(), streamed.finish()});
  // The keys of the panes; none for the timeline.
  const std::string key = GENERATE("", "1", "2", "3", "4", "5");
  CAPTURE(key);
  const Exported what = key.empty() ? Exported::kTimeline : Exported::kPane;
  if (what == Exported::kPane) {
    window.press(key);
  }

  REQUIRE(export_as(window, "picture.png", what));
  const Picture picture = read_png(window.path("picture.png"));
  REQUIRE(picture.width > 300);
  CHECK(picture.colours() > 10);

  REQUIRE(export_as(window, "picture.svg", what));
  if (const auto letters = letters_in_browser(window, "picture.svg")) {
    CHECK(*letters > 20);
  }
  if (what == Exported::kTimeline) {
    // What its colours are.
    const std::string svg = read_text(window.path("picture.svg"));
    CHECK(svg.find("read_whole_file") != std::string::npos);
    CHECK(svg.find("footprint before") != std::string::npos);
  }
}
