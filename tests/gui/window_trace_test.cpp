// Traces that are not as they should be, or not yet: damaged ones, and one that is being recorded.
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "tests/gui/window_at_work.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

std::uint32_t heap_colour() {
  return shown(picture::light_theme().lane(trace::Lane::kHeap));
}

/// Rows of a bar that says what is lost: over the whole width, but for the texts on it.
int bar_rows(const Picture& picture) {
  const picture::Theme& theme = picture::light_theme();
  const std::uint32_t colour = shown(picture::mixed(theme.warning, theme.background, 0.16));
  int rows = 0;
  for (int y = 0; y < picture.height; ++y) {
    int pixels = 0;
    for (int x = 0; x < picture.width; ++x) {
      pixels += picture.at(x, y) == colour ? 1 : 0;
    }
    rows += pixels > picture.width * 6 / 10 ? 1 : 0;
  }
  return rows;
}

/// A corner of the window: a tooltip over the timeline has the lanes' colours, too.
constexpr struct { int x, y; } kNoTooltip{1, 1};

constexpr int kMinStepWidth = 20;

/// Pixels of the time axis over which the heap stands at a height, the lowest first.
std::map<int, int> step_widths(const Picture& picture) {
  constexpr int kMinHeightPixels = 20;
  std::map<int, int> columns;
  const Area timeline{{0, picture.width}, {0, picture.height / 2}};
  for (const int height : heights(picture, timeline, heap_colour())) {
    if (height >= kMinHeightPixels) {
      ++columns[height];
    }
  }
  return columns;
}

/// Steps of the heap in the timeline: heights at which it stands over a good stretch of the axis.
std::size_t steps(const Picture& picture) {
  const auto widths = step_widths(picture);
  return static_cast<std::size_t>(
      std::ranges::count_if(widths, [](const auto& step) { return step.second >= kMinStepWidth; }));
}

/// So wide that the highest step is one, too, once the axis is five times as long.
bool is_last_step_wide(const Picture& picture) {
  const auto widths = step_widths(picture);
  return !widths.empty() && widths.rbegin()->second >= 5 * kMinStepWidth;
}

/// Letters have the colour of warnings mixed with that of the background.
bool is_red(const Picture& picture, const Span& line) {
  constexpr int kLettersPixels = 100;
  constexpr int kMuch = 80;
  for (int y = line.begin; y < line.end; ++y) {
    for (int x = 0; x < kLettersPixels; ++x) {
      const std::uint32_t pixel = picture.at(x, y);
      const auto part = [pixel](unsigned at) { return static_cast<int>(pixel >> at & 255U); };
      if (part(16) > part(8) + kMuch && part(16) > part(0) + kMuch) {
        return true;
      }
    }
  }
  return false;
}

/// The child of a process that is not `other`; 0: it has none.
pid_t recorder_below(pid_t pid, pid_t other) {
  const std::string parent = std::to_string(pid);
  std::istringstream children(read_text("/proc/" + parent + "/task/" + parent + "/children"));
  for (pid_t child = 0; children >> child;) {
    if (child != other) {
      return child;
    }
  }
  return 0;
}

/// Processor time of the process so far, in clock ticks: man proc, the 14th and 15th word.
unsigned long ticks(pid_t pid) {
  const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  // The name, in brackets, may have spaces.
  std::istringstream words(stat.substr(stat.rfind(')') + 1));
  std::string word;
  for (int i = 3; i < 14; ++i) {
    words >> word;
  }
  unsigned long user = 0;
  unsigned long system = 0;
  words >> user >> system;
  return user + system;
}

/// True as soon as the trace that is being written says of so many bytes.
bool has_peak(const std::string& trace, std::uint64_t bytes) {
  return wait_until([&] {
    auto opened = analyzer::LoadedTrace::open(trace);
    return opened.ok() && analyzer::find_peak(opened.value()).footprint_bytes >= bytes;
  });
}

/// A program under `tidemark record` that allocates what it is told to.
class GrowingTrace {
 public:
  explicit GrowingTrace(const WindowAtWork& window) : trace_(window.path("live.tmk")) {
    Command command;
    command.words = {
        TIDEMARK_COMMAND, "record", "-q", "-o", trace_, "--", TIDEMARK_ALLOCATES_WHEN_TOLD};
    command.is_interactive = true;
    recorder_ = std::make_unique<RunningProgram>(command, window.file("recorder"));
  }

  void allocate(std::uint64_t bytes) {
    recorder_->write_line(std::to_string(bytes));
    REQUIRE(recorder_->read_line() == "done");
    asked_ += bytes;
  }
  /// True as soon as the file says so.
  [[nodiscard]] bool is_written() const { return has_peak(trace_ + ".incomplete", asked_); }
  /// @return the program's exit status.
  int end() { return recorder_->wait().status; }

 private:
  std::string trace_;
  std::uint64_t asked_ = 0;
  std::unique_ptr<RunningProgram> recorder_;
};

/// Forty blocks of events with a block of memory each.
std::string stair(TraceBuilder& trace) {
  constexpr std::uint64_t kSteps = 40;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    trace.at_ms(10 * i).allocate(std::uint64_t{1} << 20U, trace.stack({"malloc", "load", "main"}));
    trace.flush();
  }
  return trace.finish();
}

void flip_bit(const std::string& file, std::uintmax_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(at));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(static_cast<char>(byte ^ 0x10));
}

}  // namespace

TEST_CASE("a damaged trace is shown as far as it is intact, under a bar with the loss", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  const std::string whole = stair(builder);
  WindowAtWork window;
  window.bring(whole, "cut.tmk");
  window.bring(whole, "flipped.tmk");
  const auto size = std::filesystem::file_size(whole);
  std::filesystem::resize_file(window.path("cut.tmk"), size / 2);
  flip_bit(window.path("flipped.tmk"), size / 3);

  const Picture intact = window.photograph(whole, {"--by", "lane"});
  REQUIRE(intact.count(heap_colour()) > 10'000);
  CHECK(bar_rows(intact) == 0);
  for (const std::string name : {"cut.tmk", "flipped.tmk"}) {
    CAPTURE(name);
    const Picture damaged = window.photograph(name, {"--by", "lane"});
    CHECK(bar_rows(damaged) > 4);
    CHECK(damaged.count(heap_colour()) > 10'000);
  }
}

TEST_CASE("the window follows a recording to its end, and then draws nothing", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  constexpr std::uint64_t kBytes = 64 << 20;
  WindowAtWork window;
  GrowingTrace growing(window);
  growing.allocate(kBytes);
  REQUIRE(growing.is_written());

  window.open({"--by", "lane", "live.tmk.incomplete"});
  REQUIRE(window.is_called("tidemark: live.tmk.incomplete"));
  window.point(kNoTooltip.x, kNoTooltip.y);
  // Each step is as wide as the time that the window took to show the one before.
  for (std::size_t i = 1; i <= 3; ++i) {
    growing.allocate(kBytes);
    CAPTURE(i);
    REQUIRE(wait_until([&] { return steps(window.look()) == i; }));
  }
  REQUIRE(growing.end() == 0);

  CHECK(window.is_called("tidemark: live.tmk"));
  CHECK(wait_until([&] { return steps(window.look()) == 4; }));
  // The recording is no more; what it became is remembered.
  CHECK(read_text(window.settings()).find(window.path("live.tmk") + '"') != std::string::npos);
  CHECK(read_text(window.settings()).find("incomplete") == std::string::npos);
  CHECK(comes_to_rest([&] { return ticks(window.pid()); }, std::chrono::seconds(2)));
}

TEST_CASE("a program is seen while it is recorded, and outlives the window", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  constexpr std::uint64_t kBytes = 64 << 20;
  WindowAtWork window;
  RunningProgram& program = window.open_by({TIDEMARK_COMMAND, "view", "--record", "--by", "lane",
                                            "-o", "live.tmk", "--", TIDEMARK_ALLOCATES_WHEN_TOLD});
  CHECK(window.is_called("tidemark: live.tmk.incomplete"));
  window.point(kNoTooltip.x, kNoTooltip.y);
  const auto allocate = [&](std::uint64_t bytes) {
    program.write_line(std::to_string(bytes));
    REQUIRE(program.read_line() == "done");
  };
  allocate(kBytes);
  REQUIRE(has_peak(window.path("live.tmk.incomplete"), kBytes));
  for (std::size_t i = 1; i <= 2; ++i) {
    CAPTURE(i);
    // The axis goes on with each small block; a busy machine has taken seconds before the first.
    REQUIRE(wait_until([&] {
      allocate(1);
      return is_last_step_wide(window.look());
    }));
    allocate(kBytes);
    CHECK(wait_until([&] { return steps(window.look()) == i; }));
  }
  const pid_t drawing = window.drawing_pid();
  REQUIRE(drawing != window.pid());
  kill(drawing, SIGTERM);

  allocate(kBytes);
  CHECK(program.wait().status == 0);
  auto trace = analyzer::LoadedTrace::open(window.path("live.tmk"));
  REQUIRE(trace.ok());
  CHECK(analyzer::find_peak(trace.value()).footprint_bytes >= 4 * kBytes);
}

TEST_CASE("where nothing is found, since no model is known, that is said", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(10).allocate(std::uint64_t{1} << 20U, builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  const std::string trace = builder.finish();
  const WindowAtWork window;
  const Picture seen = window.photograph(trace, {"--theme", "light", "--pane", "findings"});

  const auto lines = lines_in(seen, {{0, 100}, {seen.height / 2, seen.height}});

  // From the bottom: two on how it was recorded, then, behind a gap, why nothing is found, and
  // right above it the peak.
  REQUIRE(lines.size() >= 4);
  const auto from_last = [&](std::size_t back) { return lines[lines.size() - 1 - back].begin; };
  const int pitch = from_last(0) - from_last(1);
  CHECK(from_last(1) - from_last(2) > pitch + 2);
  CHECK(from_last(2) - from_last(3) == Approx(pitch).margin(2));
}

TEST_CASE("what must be known before a number is believed stands above the findings", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  TraceBuilder builder;
  builder.at_ms(10).allocate(std::uint64_t{1} << 20U, builder.stack({"malloc", "load", "main"}));
  builder.at_ms(1000).allocate(1);
  builder.session.exit_status = 3;
  const std::string trace = builder.finish();
  const WindowAtWork window;

  const Picture seen = window.photograph(trace, {"--theme", "light", "--pane", "findings"});

  const auto lines = lines_in(seen, {{0, 100}, {seen.height / 2, seen.height}});
  // The outcome and what the recorder took are the last two, behind a gap.
  REQUIRE(lines.size() >= 5);
  std::size_t warned = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_red(seen, lines[i])) {
      CHECK(i + 3 < lines.size());
      ++warned;
    }
  }
  CHECK(warned >= 1);
}

TEST_CASE("how far a recorder is behind is said, and a program that does nothing is not", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  WindowAtWork window;
  RunningProgram& program = window.open_by(
      {TIDEMARK_COMMAND, "view", "--record", "-o", "live.tmk", "--", TIDEMARK_ALLOCATES_WHEN_TOLD});
  program.write_line(std::to_string(1 << 20));
  REQUIRE(program.read_line() == "done");
  REQUIRE(has_peak(window.path("live.tmk.incomplete"), 1 << 20));
  const picture::Theme& theme = picture::light_theme();
  const std::uint32_t colour = shown(picture::as_text(theme.warning, theme));
  std::size_t recording = 0;  // Pixels of this one word.
  REQUIRE(wait_until([&] {
    recording = window.look_when_still().count(colour);
    return recording > 0;
  }));
  const pid_t recorder = recorder_below(window.pid(), window.drawing_pid());
  REQUIRE(recorder > 0);

  kill(recorder, SIGSTOP);
  CHECK(wait_until([&] { return window.look().count(colour) > recording * 3 / 2; }));
  kill(recorder, SIGCONT);
  // Nothing has come meanwhile: what is shown is all there is.
  CHECK(wait_until([&] { return window.look().count(colour) == recording; }));
}

TEST_CASE("the window of a program that has ended stays, and its status comes after", "[gui]") {
  if (!can_play()) {
    SUCCEED();
    return;
  }
  // Also where nobody is told that a child has ended, as `trap '' CHLD` in a shell leaves it.
  const std::string ignored = GENERATE("USR1", "CHLD");
  CAPTURE(ignored);
  WindowAtWork window;
  RunningProgram& program =
      window.open_by({"env", "--ignore-signal=" + ignored, TIDEMARK_COMMAND, "view", "--record",
                      "-o", "short.tmk", "--", "sh", "-c", "exit 3"});
  CHECK(window.is_called("tidemark: short.tmk"));
  const pid_t drawing = window.drawing_pid();
  program.signal(SIGTERM);
  CHECK(program.wait().status == 3);
  CHECK_FALSE(std::filesystem::exists("/proc/" + std::to_string(drawing)));
}
