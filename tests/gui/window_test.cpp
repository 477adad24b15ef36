#include "gui/view/session/view_state.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/gui/picture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <sys/wait.h>

using namespace tidemark;
using tests::Picture;

namespace {

constexpr std::uint32_t kWhite = 0xffffff;
constexpr std::uint32_t kDark = 0x0d1117;
constexpr std::uint32_t kHeap = 0x56a3d9;
// Of the first layers that went and that stayed.
constexpr std::uint32_t kGone = 0xe0533d;
constexpr std::uint32_t kKept = 0x7a68c8;

/// The exit status; everything the command printed goes to `output`.
int run(const std::string& command, const std::string& output) {
  const int status = std::system((command + " >'" + output + "' 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool has_display_server() {
  if (std::system("command -v xvfb-run >/dev/null 2>&1 && command -v Xvfb >/dev/null 2>&1") == 0) {
    return true;
  }
  SKIP_TEST("the window, there is no xvfb here");
  return false;
}

/// Takes pictures of the window on a display that nobody sees.
class Camera {
 public:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

  Picture take(const std::string& traces, const std::string& options = "") {
    const std::string png = folder_.file("window.png");
    const int status = run("xvfb-run -a -s '-screen 0 1920x1200x24' '" TIDEMARK_COMMAND "' view " +
                               traces + " --screenshot '" + png + "' " + options,
                           folder_.file("output"));
    INFO(text_of(folder_.file("output")));
    REQUIRE(status == 0);
    return tests::read_png(png);
  }

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the window shows the lanes up to twice the model, at any size", "[gui]") {
  if (!has_display_server()) {
    SUCCEED();
    return;
  }
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const std::string trace = builder.finish();
  const auto* const size = GENERATE("900x600", "1600x900");
  Camera camera;

  const Picture picture = camera.take("'" + trace + "'", std::string("--by lane --size ") + size);

  CHECK(std::to_string(picture.width) + 'x' + std::to_string(picture.height) == size);
  REQUIRE(picture.at(1, picture.height - 2) == kWhite);
  // The lanes fill a good part of the upper half, to the right of the axis, and nothing below it.
  int lowest = 0;
  int left = picture.width;
  std::size_t heap = 0;
  for (int y = 0; y < picture.height / 2; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (picture.at(x, y) == kHeap) {
        lowest = y;
        left = std::min(left, x);
        ++heap;
      }
    }
  }
  CHECK(heap > picture.pixels.size() / 20);
  CHECK(left < picture.width / 10);
  CHECK(lowest < picture.height / 2);
  // A flame graph and its table have texts and boxes of many colours.
  const std::set<std::uint32_t> colours(
      picture.pixels.begin() + static_cast<std::ptrdiff_t>(picture.pixels.size() / 2),
      picture.pixels.end());
  CHECK(colours.size() > 50);
}

TEST_CASE("zoomed in, as a saved view says, another picture is shown", "[gui]") {
  if (!has_display_server()) {
    SUCCEED();
    return;
  }
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const std::string trace = "'" + builder.finish() + "'";
  Camera camera;
  // After the buffer was dropped the lanes stand half as high: zoomed in there, no full height.
  std::ofstream(camera.file("late.json")) << R"({"range": [0.9, 0.95], "dark": true})";

  const Picture whole = camera.take(trace, "--theme dark");
  const Picture late = camera.take(trace, "--state '" + camera.file("late.json") + "'");

  CHECK(whole.at(1, whole.height - 2) == kDark);
  CHECK(late.at(1, late.height - 2) == kDark);
  CHECK(whole.pixels != late.pixels);
}

TEST_CASE("two traces and every pane can be shown, in both themes", "[gui]") {
  if (!has_display_server()) {
    SUCCEED();
    return;
  }
  tests::TraceBuilder before;
  tests::append_naive_load(before);
  tests::TraceBuilder after;
  tests::append_streamed_load(after);
  const std::string traces = "'" + before.finish() + "' '" + after.finish() + "'";
  Camera camera;
  std::set<std::vector<std::uint32_t>> pictures;
  for (const std::string pane :
       {"holders", "difference", "blocks", "activity", "findings", "usage", "pages"}) {
    const Picture picture = camera.take(traces, "--size 900x600 --pane " + pane);
    CAPTURE(pane);
    CHECK(picture.count(kGone) > 1000);
    CHECK(picture.count(kKept) > 1000);
    pictures.insert(picture.pixels);
  }
  CHECK(pictures.size() == 7);
}

TEST_CASE("without a display the window says so in one sentence", "[gui]") {
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const tests::TemporaryFolder folder;

  const int status = run(
      "env -u DISPLAY -u WAYLAND_DISPLAY '" TIDEMARK_COMMAND "' view '" + builder.finish() + "'",
      folder.file("output"));

  const std::string output = text_of(folder.file("output"));
  CHECK(status == 2);
  CHECK(output.starts_with("tidemark-gui: there is no display"));
  CHECK(std::ranges::count(output, '\n') == 1);
}

TEST_CASE("what is no trace and what is no view are refused before a window opens", "[gui]") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("x.tmk")) << "no trace";
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const std::string trace = builder.finish();

  CHECK(run("'" TIDEMARK_GUI "' '" + folder.file("x.tmk") + "'", folder.file("output")) == 2);
  CHECK(run("'" TIDEMARK_GUI "' --state '" + folder.file("x.tmk") + "' '" + trace + "'",
            folder.file("output")) == 2);
  CHECK(text_of(folder.file("output")).find("no JSON object") != std::string::npos);
  const std::string link = folder.file("link.png");
  std::filesystem::create_symlink(trace, link);
  CHECK(run("'" TIDEMARK_GUI "' --screenshot '" + link + "' '" + trace + "'",
            folder.file("output")) == 2);
  CHECK(text_of(folder.file("output")).find("is a trace that is read") != std::string::npos);
  const std::string kept = folder.file("kept");
  std::ofstream(kept) << "kept";
  for (const std::string& option : {std::string("--state"), std::string("--model")}) {
    CAPTURE(option);
    CHECK(run("'" TIDEMARK_GUI "' --screenshot '" + kept + "' " + option + " '" + kept + "' '" +
                  trace + "'",
              folder.file("output")) == 2);
    CHECK(text_of(folder.file("output")).find("is a file that is read") != std::string::npos);
  }
  CHECK(text_of(kept) == "kept");
  CHECK(run("'" TIDEMARK_GUI "' --screenshot x.png --size 7x7 '" + trace + "'",
            folder.file("output")) == 2);
  CHECK(run("'" TIDEMARK_COMMAND "' view --frames sideways '" + trace + "'",
            folder.file("output")) == 2);
  CHECK(run("'" TIDEMARK_GUI "' --frames sideways '" + trace + "'", folder.file("output")) == 2);
  CHECK(text_of(folder.file("output")).find("none of both, python, native") != std::string::npos);
}

TEST_CASE("keys and the wheel change what is shown", "[gui]") {
  if (!has_display_server() || std::system("command -v xdotool >/dev/null 2>&1") != 0) {
    SKIP_TEST("keys in the window, there is no xvfb or no xdotool here");
    return;
  }
  tests::TraceBuilder builder;
  tests::append_naive_load(builder);
  const std::string trace = builder.finish();
  const tests::TemporaryFolder folder;
  // What is shown is what S saves; each wait is for something to happen, within a limit.
  std::ofstream(folder.file("person")) << R"(
    ")" TIDEMARK_GUI R"(" "$1" & window=$!
    id=$(timeout 60 xdotool search --sync --onlyvisible --name '^tidemark: ' | head -1)
    xdotool windowfocus --sync "$id"
    saved() {
      rm -f "$1.view.json"
      xdotool key s
      for i in $(seq 300); do
        [ -s "$1.view.json" ] && break
        sleep 0.1
      done
    }
    xdotool key --delay 50 2 t p
    saved "$1" && cp "$1.view.json" "$2/peak"
    xdotool key f
    xdotool mousemove --window "$id" 800 200
    saved "$1"  # ImGui from 1.87 on takes the wheel a frame after the pointer, and S would be first
    xdotool click 4
    saved "$1" && cp "$1.view.json" "$2/wheel"
    xdotool key f
    xdotool keydown ctrl mousemove --window "$id" 400 200 mousedown 1
    for x in 500 600 700 800; do
      saved "$1"  # all before it has been seen, in a frame of its own
      xdotool mousemove --window "$id" $x 200
    done
    saved "$1"
    xdotool mouseup 1 keyup ctrl
    saved "$1" && cp "$1.view.json" "$2/drag"
    kill $window
  )";

  run("XDG_CONFIG_HOME='" + folder.file("config") +
          "' xvfb-run -a -s '-screen 0 1920x1200x24' sh '" + folder.file("person") + "' '" + trace +
          "' '" + folder.file("") + "'",
      folder.file("output"));

  INFO(text_of(folder.file("output")));
  const auto peak = gui::parse_state(text_of(folder.file("peak")));
  REQUIRE(peak.ok());
  CHECK(peak.value().pane == gui::Pane::kBlocks);
  CHECK(peak.value().dark);
  CHECK(peak.value().range.width() == Approx(0.1));
  const auto wheel = gui::parse_state(text_of(folder.file("wheel")));
  REQUIRE(wheel.ok());
  CHECK(wheel.value().range.width() < 0.99);
  CHECK(wheel.value().range.width() > 0.1);
  const auto drag = gui::parse_state(text_of(folder.file("drag")));
  REQUIRE(drag.ok());
  REQUIRE(drag.value().selection.has_value());
  CHECK(drag.value().selection->width() > 0.1);
  CHECK(drag.value().selection->begin > 0.1);
}
