// What somebody opens from inside the window: from its lists, and by dropping files onto it.
#include "analyzer/picture/drawing/theme.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cctype>
#include <filesystem>
#include <fstream>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

// The start view: its name, two sentences, the folder, "..", then what is in the folder.
constexpr std::size_t kFirstEntry = 5;
// A place in "Open", which stands at the left edge.
constexpr int kInOpen = 30;

/// A window that finds two traces in its folder.
class TwoTraces : public WindowAtWork {
 public:
  TwoTraces() {
    TraceBuilder naive;
    append_naive_load(naive);
    bring(naive.finish(), "a.tmk");
    TraceBuilder streamed;
    append_streamed_load(streamed);
    bring(streamed.finish(), "b.tmk");
  }

  /// Clicks on a line of the start view, and waits for what comes with it.
  void choose(std::size_t line, std::size_t lines_then) const {
    click(kInOpen, lines().at(line).middle());
    REQUIRE(has_lines(lines_then));
  }
  void open_chosen() const { click(kInOpen, lines().back().middle()); }

  [[nodiscard]] std::vector<std::string> recent() const {
    const auto json = nlohmann::json::parse(read_text(settings()), nullptr, false);
    return json.is_object() ? json.at("recent").get<std::vector<std::string>>()
                            : std::vector<std::string>{};
  }
  void remember(const std::vector<std::string>& files) const {
    std::filesystem::create_directories(std::filesystem::path(settings()).parent_path());
    std::ofstream(settings()) << nlohmann::json{{"recent", files}};
  }
};

std::uint32_t background(const WindowAtWork& window) {
  const Picture picture = window.look();
  return main_colour(picture, all_of(picture));
}

}  // namespace

TEST_CASE("the start view lists the folder's traces, and opens one or two", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  std::filesystem::create_directory(window.path("folder"));
  std::ofstream(window.path("no_trace.txt")) << "text";
  const bool opens_two = GENERATE(false, true);
  CAPTURE(opens_two);
  window.open();
  constexpr std::size_t kLines = kFirstEntry + 3;
  REQUIRE(window.has_lines(kLines));

  // The name of each that is chosen comes below the list, and then the button.
  window.choose(kFirstEntry, kLines + 2);
  if (opens_two) {
    window.choose(kFirstEntry + 1, kLines + 3);
  }
  window.open_chosen();

  CHECK(window.is_called(opens_two ? "tidemark: a.tmk and b.tmk" : "tidemark: a.tmk"));
  REQUIRE(wait_until([&] { return window.recent().size() == (opens_two ? 2U : 1U); }));
  CHECK(window.recent().back() == window.path("a.tmk"));
}

TEST_CASE("what was opened is offered the next time, and what is gone is said to be", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  window.open({"a.tmk"});
  REQUIRE(wait_until([&] { return window.recent() == std::vector{window.path("a.tmk")}; }));
  window.close();
  window.remember({window.path("gone.tmk"), window.path("a.tmk")});
  window.open();
  // Two traces in the folder, "opened before" and what was.
  constexpr std::size_t kLines = kFirstEntry + 2 + 1 + 2;
  REQUIRE(window.has_lines(kLines));

  window.choose(kLines - 2, kLines + 2);
  window.open_chosen();
  // One sentence, and nothing is chosen any more.
  REQUIRE(window.has_lines(kLines + 1));
  CHECK(window.title() == "tidemark");

  window.choose(kLines - 1, kLines + 3);
  window.click(kInOpen, window.lines().at(kLines + 1).middle());
  CHECK(window.is_called("tidemark: a.tmk"));
}

TEST_CASE("the open window has both lists in a popup, and keeps its colours", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  window.remember({window.path("b.tmk")});
  const bool from_recent = GENERATE(false, true);
  CAPTURE(from_recent);
  window.open({"a.tmk"});
  REQUIRE(window.is_called("tidemark: a.tmk"));
  window.press("t");
  const std::uint32_t dark = shown(picture::dark_theme().background);
  REQUIRE(wait_until([&] { return background(window) == dark; }));
  // The list is of the folder as it is when it pops up.
  window.bring(window.path("b.tmk"), "c.tmk");

  window.press_button(0);
  // A sentence, the folder, "..", three traces, "opened before" and two.
  constexpr std::size_t kLines = 9;
  const Popup popup = window.popup(kLines);
  const int x = popup.area.across.begin + kInOpen;
  window.click(x, popup.lines.at(from_recent ? kLines - 1 : 5).middle());
  const Popup chosen = window.popup(kLines + 2);
  window.click(x, chosen.lines.back().middle());

  CHECK(window.is_called(from_recent ? "tidemark: b.tmk" : "tidemark: c.tmk"));
  CHECK(wait_until([&] { return background(window) == dark; }));
}

TEST_CASE("Escape closes a popup first", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  window.open({"a.tmk"});
  REQUIRE(window.is_called("tidemark: a.tmk"));
  window.press_button(0);
  static_cast<void>(window.popup(7));

  window.press("Escape");

  CHECK(window.has_no_popup());
}

TEST_CASE("Escape closes a popup that is typed into, and the next click is not lost", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  window.open({"a.tmk"});
  REQUIRE(window.is_called("tidemark: a.tmk"));
  window.point(1, 1);  // Over the curve it would have a tooltip, which looks like a popup.
  const Picture still = window.look_when_still();
  window.press("slash");
  (void)window.look_when_still();
  window.type("load");
  (void)window.look_when_still();

  window.press("Escape");
  CHECK(window.has_no_popup());
  (void)window.look_when_still();
  window.click(still.width / 2, still.height / 3);
  (void)window.look_when_still();

  CHECK(window.saved(window.path("a.tmk")).cursor.has_value());
}

#ifdef TIDEMARK_DROPS_FILES

namespace {

/// As a file manager writes it.
std::string uri_of(const std::string& path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) != 0 || std::string("/-_.~").find(c) != std::string::npos)) {
      uri += c;
    } else {
      uri += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return uri;
}

/// @return the source's exit status: 0 when the window has taken them.
int drop(const WindowAtWork& window, const std::vector<std::string>& names) {
  Command source;
  source.words = {TIDEMARK_DROPS_FILES, window.id()};
  for (const std::string& name : names) {
    source.words.push_back(uri_of(window.path(name)));
  }
  source.environment = {"DISPLAY=" + window.display()};
  return run(source, window.file("source")).status;
}

/// Pixels of the bars that say what went wrong.
std::size_t trouble(const Picture& picture) {
  const picture::Theme& theme = picture::light_theme();
  return picture.count(shown(picture::mixed(theme.warning, theme.background, 0.16)));
}

}  // namespace

TEST_CASE("files that are dropped onto the window are opened, whatever their names", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  const std::string odd = "Gewichte, größer & 50 % – 重み.tmk";
  window.bring(window.path("a.tmk"), odd);
  const bool has_trace = GENERATE(false, true);
  CAPTURE(has_trace);
  window.open(has_trace ? std::vector<std::string>{"b.tmk"} : std::vector<std::string>{});
  REQUIRE(window.is_called(has_trace ? "tidemark: b.tmk" : "tidemark"));

  REQUIRE(drop(window, {"a.tmk"}) == 0);
  CHECK(window.is_called("tidemark: a.tmk"));
  REQUIRE(drop(window, {"a.tmk", "b.tmk"}) == 0);
  CHECK(window.is_called("tidemark: a.tmk and b.tmk"));
  REQUIRE(drop(window, {odd}) == 0);
  CHECK(window.is_called("tidemark: " + odd));
}

TEST_CASE("what is dropped and is no trace is said in a bar, and the old trace stays", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TwoTraces window;
  std::ofstream(window.path("text.tmk")) << "no trace";
  const std::string name = GENERATE("text.tmk", "gone.tmk", "");
  CAPTURE(name);
  window.open({"--by", "lane", "a.tmk"});
  const std::uint32_t heap = shown(picture::light_theme().lane(trace::Lane::kHeap));
  REQUIRE(wait_until([&] { return window.look().count(heap) > 10'000; }));
  REQUIRE(trouble(window.look()) == 0);

  REQUIRE(drop(window, {name}) == 0);

  CHECK(wait_until([&] { return trouble(window.look()) > 10'000; }));
  CHECK(window.title() == "tidemark: a.tmk");
  CHECK(window.look().count(heap) > 10'000);
  // Work goes on.
  REQUIRE(drop(window, {"b.tmk"}) == 0);
  CHECK(window.is_called("tidemark: b.tmk"));
}

#else

TEST_CASE("files that are dropped onto the window", "[gui]") {
  SKIP_TEST("files dropped onto the window, it was built without libx11-dev");
}

#endif
