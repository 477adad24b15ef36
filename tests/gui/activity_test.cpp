#include "gui/view/activity/activity.hpp"

#include "gui/view/activity/activity_picture.hpp"
#include "gui/view/activity/activity_words.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <algorithm>

using namespace tidemark;
using tests::kMiB;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

gui::Activity activity_of(analyzer::LoadedTrace& trace, std::size_t columns = 100) {
  gui::ActivityGatherer gatherer(trace, columns);
  while (gatherer.step()) {
  }
  return gatherer.take();
}

/// What the thread did then; nothing, if it has no such column.
gui::ThreadColumn column_of(const gui::ThreadRow& row, std::uint32_t column) {
  const auto found = std::ranges::find(row.columns, column, &gui::ThreadColumn::column);
  return found == row.columns.end() ? gui::ThreadColumn{} : *found;
}

/// An activity of a second, laid out into 1000 pixels from 100 on: a pixel a millisecond.
class OneSecond {
 public:
  explicit OneSecond(tests::TraceBuilder& builder)
      : trace_((builder.session.duration_ns = 1000 * kMillisecond - 1, builder.open())) {
    activity_ = activity_of(trace_);
    input_ = {
        .activity = &activity_, .subject = &subject_, .warp = &warp_, .range = {}, .left = 100};
  }

  void gather(std::size_t columns) { activity_ = activity_of(trace_, columns); }

  [[nodiscard]] const gui::Activity& activity() const { return activity_; }
  gui::ActivityInput& input() { return input_; }
  picture::Box& place() { return place_; }

  [[nodiscard]] gui::ActivityLayout layout() const {
    return gui::lay_out_activity(input_, place_, look_);
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const gui::ActivityRow& row : layout().rows) {
      if (row.kind != gui::ActivityRow::Kind::kHeading) {
        names.push_back(row.name);
      }
    }
    return names;
  }

  /// Of the row of that name.
  [[nodiscard]] std::string facts(const std::string& name) const {
    const auto all = layout();
    const auto row = std::ranges::find(all.rows, name, &gui::ActivityRow::name);
    return row == all.rows.end() ? "(no such row)" : row->facts;
  }

  /// What is said in one of the row's lanes, so many milliseconds after the beginning.
  [[nodiscard]] std::vector<std::string> words(const std::string& name,
                                               std::size_t lane,
                                               double ms) const {
    const auto all = layout();
    const auto row = std::ranges::find(all.rows, name, &gui::ActivityRow::name);
    REQUIRE(row != all.rows.end());
    REQUIRE(lane < row->lanes.size());
    const auto under = gui::activity_at(all, {100 + ms, row->lanes[lane].box.y + 2});
    const auto ns = static_cast<std::uint64_t>(ms * kMillisecond);
    return gui::activity_words(input_, under, {ns, ns + kMillisecond});
  }

  [[nodiscard]] picture::Scene scene() const {
    picture::Scene scene{.width = 1100, .height = 900, .background = {}, .items = {}};
    gui::draw_activity(scene, input_, layout(), {}, {}, place_, look_);
    return scene;
  }

 private:
  analyzer::LoadedTrace trace_;
  gui::Activity activity_;
  picture::Subject subject_;
  picture::Warp warp_{{{0, 0}, {1, 1000 * kMillisecond}}};
  picture::Box place_{0, 0, 1100, 900};
  picture::Theme theme_ = picture::light_theme();
  picture::Type type_ = gui::screen_type(1);
  picture::MeasureText measure_ = tests::wide_letters();
  gui::Look look_{theme_, type_, measure_};
  gui::ActivityInput input_;
};

}  // namespace

TEST_CASE("each thread has a row with what it allocated when, most bytes first", "[gui]") {
  tests::TraceBuilder builder;
  const auto helper = builder.thread(trace::ProcessId{0});
  const auto block = builder.at_ns(5000).allocate(100);
  builder.at_ns(55000).on(helper).allocate(700);
  builder.at_ns(75000).release(block);
  builder.session.duration_ns = 99'999;
  auto trace = builder.open();

  const gui::Activity activity = activity_of(trace, 10);

  REQUIRE(activity.threads.size() == 2);
  CHECK(activity.threads[0].allocated == 700);
  CHECK(column_of(activity.threads[0], 5).bytes == 700);
  CHECK(column_of(activity.threads[0], 7).frees == 1);
  CHECK(column_of(activity.threads[1], 0).allocations == 1);
  CHECK(activity.borders.size() == 11);
}

TEST_CASE("a thread that does little takes little memory, however many there are", "[gui]") {
  constexpr std::size_t kThreads = 50'000;
  tests::TraceBuilder builder;
  for (std::size_t i = 0; i < kThreads; ++i) {
    builder.on(i == 0 ? trace::ThreadId{0} : builder.thread(trace::ProcessId{0}));
    builder.release(builder.at_ns(i * 1000).allocate(100));
  }
  auto trace = builder.open();

  const gui::Activity activity = activity_of(trace, 2048);

  REQUIRE(activity.threads.size() == kThreads);
  std::size_t bytes = 0;
  for (const gui::ThreadRow& row : activity.threads) {
    bytes += row.columns.capacity() * sizeof(gui::ThreadColumn);
  }
  CHECK(bytes <= kThreads * 4 * sizeof(gui::ThreadColumn));
}

TEST_CASE("where threads would have too many columns, columns are wider, and nothing is missing",
          "[gui]") {
  constexpr std::uint64_t kThreads = 20;
  tests::TraceBuilder builder;
  for (std::uint64_t us = 0; us < 16; ++us) {
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      if (us == 0 && thread > 0) {
        builder.thread(trace::ProcessId{0});
      }
      builder.at_ns(us * 1000).on(trace::ThreadId{thread}).allocate(100 + us);
    }
  }
  builder.session.duration_ns = 15'999;
  auto trace = builder.open();

  gui::ActivityGatherer gatherer(trace, 16, 0);  // A few of each thread are allowed.
  while (gatherer.step()) {
  }
  const gui::Activity activity = gatherer.take();

  CHECK(activity.borders == std::vector<std::uint64_t>{0, 4000, 8000, 12'000, 16'000});
  REQUIRE(activity.threads.size() == kThreads);
  for (const gui::ThreadRow& row : activity.threads) {
    REQUIRE(row.columns.size() == 4);
    for (std::uint32_t c = 0; c < 4; ++c) {
      CHECK(row.columns[c].column == c);
      CHECK(row.columns[c].allocations == 4);
      CHECK(row.columns[c].bytes == 4 * (100 + 4 * c) + 6);
    }
  }
}

TEST_CASE("reads of one thread and file that follow each other are one stretch", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  const auto helper = builder.thread(trace::ProcessId{0});
  builder.at_ms(100).open_file(model);
  for (const std::uint64_t ms : {120U, 140U, 160U, 180U, 200U}) {
    builder.at_ms(ms).read(model, 10 * kMiB);
  }
  builder.at_ms(500).on(helper).open_file(model);
  builder.at_ms(600).read(model, 50 * kMiB);
  builder.at_ms(900).map(model, 7 * kMiB);

  const OneSecond pane(builder);

  const auto& stretches = pane.activity().stretches;
  REQUIRE(stretches.size() == 3);
  CHECK(stretches[0].begin_ns == 100 * kMillisecond);
  CHECK(stretches[0].end_ns == 200 * kMillisecond);
  CHECK(stretches[0].calls == 5);
  CHECK(stretches[0].rate() == 500 * kMiB);
  CHECK(stretches[1].rate() == 500 * kMiB);
  CHECK(stretches[1].thread != stretches[0].thread);
  CHECK(stretches[2].is_mapping);
  CHECK_FALSE(stretches[2].rate());
}

TEST_CASE("pages that are looked at during a read do not make it shorter", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  const auto block = builder.at_ms(100).allocate(100 * kMiB);
  builder.at_ms(290).release_part(block, kMiB);
  builder.at_ms(295).grow(block, kMiB);
  builder.at_ms(300).read_into(model, 100 * kMiB, block);

  const OneSecond pane(builder);

  REQUIRE(pane.activity().stretches.size() == 1);
  CHECK(pane.activity().stretches[0].rate() == 500 * kMiB);
}

TEST_CASE("a thread that left no event for long did not read all the while", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/proc/meminfo", 0);
  builder.at_ms(0).open_file(file);
  builder.at_ms(900).read(file, 1024);

  const OneSecond pane(builder);

  REQUIRE(pane.activity().stretches.size() == 1);
  CHECK(pane.activity().stretches[0].begin_ns > 890 * kMillisecond);
}

TEST_CASE("reads that are close on the screen are one bar, and apart in a narrower range",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  for (std::uint64_t ms = 100; ms <= 200; ms += 10) {
    builder.at_ms(ms - 4).open_file(model);
    builder.at_ms(ms).read(model, kMiB);
  }
  OneSecond pane(builder);
  // A column is 10 ms, as wide as the gaps: with finer ones each read is a stretch.
  const auto bars = [&] { return pane.layout().rows[1].lanes[0].bars; };
  REQUIRE(pane.activity().stretches.size() == 1);
  CHECK(bars().size() == 1);

  pane.gather(1000);

  REQUIRE(pane.activity().stretches.size() == 11);
  REQUIRE(bars().size() == 1);
  CHECK(bars()[0].reads.bytes == 11 * kMiB);
  CHECK(bars()[0].reads.calls == 11);
  pane.input().range = {0.1, 0.2};
  CHECK(bars().size() == 11);
}

TEST_CASE("a rate is that of the time in reads, whatever the zoom and the columns", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  for (std::uint64_t ms = 100; ms <= 200; ms += 10) {
    builder.at_ms(ms - 4).open_file(model);
    builder.at_ms(ms).read(model, kMiB);
  }
  OneSecond pane(builder);

  for (const std::size_t columns : {100U, 1000U}) {
    for (const gui::ViewRange& range : {gui::ViewRange{0, 1}, gui::ViewRange{0.1, 0.2}}) {
      CAPTURE(columns, range.begin);
      pane.gather(columns);
      pane.input().range = range;
      CHECK(pane.facts("a.gguf").starts_with("11.0 MiB read at ≥ 250.0 MiB/s by "));
      const gui::ActivityLayout layout = pane.layout();  // a loop does not keep it alive
      for (const gui::ActivityBar& bar : layout.rows[1].lanes[0].bars) {
        CHECK(gui::reads_text(bar.reads).ends_with("MiB, ≥ 250.0 MiB/s"));
      }
    }
  }
}

TEST_CASE("a file that two processes read at once took the time of both together", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  const auto same = builder.file("/m/a.gguf", 100 * kMiB);
  const auto helper = builder.thread(trace::ProcessId{0});
  builder.at_ms(100).open_file(model);
  builder.at_ms(150).on(helper).open_file(same);
  builder.at_ms(200).on(trace::ThreadId{0}).read(model, 30 * kMiB);
  builder.at_ms(300).on(helper).read(same, 50 * kMiB);
  const OneSecond pane(builder);

  CHECK(pane.facts("a.gguf").starts_with("80.0 MiB read at ≥ 400.0 MiB/s by "));
}

TEST_CASE("a rate that rests on how slow a read may be is told to be a guess", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(0).open_file(model);
  builder.at_ms(900).read(model, kMiB);
  const OneSecond pane(builder);

  CHECK(pane.facts("a.gguf").starts_with("1.00 MiB read at about 3.98 MiB/s by "));
  CHECK(pane.words("a.gguf", 0, 800)[1] == "1.00 MiB, about 3.98 MiB/s");
}

TEST_CASE("a file's row says which thread read it, and at what rate", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  const auto helper = builder.thread(trace::ProcessId{0});
  builder.at_ms(100).open_file(model);
  builder.at_ms(200).read(model, 30 * kMiB);
  builder.at_ms(400).on(helper).open_file(model);
  builder.at_ms(500).read(model, 70 * kMiB);
  const OneSecond pane(builder);
  const std::string first = pane.activity().threads[0].name;
  const std::string second = pane.activity().threads[1].name;

  CHECK(pane.facts("a.gguf") ==
        "100.0 MiB read at ≥ 500.0 MiB/s by " + first + " (70.0 MiB), " + second + " (30.0 MiB)");
  // Each on a lane of its own, as wide as it lasted, with its label inside.
  const auto layout = pane.layout();
  const auto row = std::ranges::find(layout.rows, "a.gguf", &gui::ActivityRow::name);
  REQUIRE(row->lanes.size() == 2);
  REQUIRE(row->lanes[0].bars.size() == 1);
  CHECK(row->lanes[0].bars[0].box.x == Approx(500).margin(1));
  CHECK(row->lanes[0].bars[0].box.width == Approx(100).margin(1));
  CHECK(row->lanes[1].bars[0].box.x == Approx(200).margin(1));
  const auto scene = pane.scene();
  CHECK(tests::has_label(scene, first + ", 70.0 MiB, ≥ 700.0 MiB/s"));
  CHECK(tests::has_label(scene, "a.gguf, 30.0 MiB, ≥ 300.0 MiB/s"));  // Of the thread's own row.
}

TEST_CASE("every lane says what is under the pointer", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(100).open_file(model);
  builder.at_ms(150).read(model, 40 * kMiB);
  builder.at_ms(200).read(model, 20 * kMiB);
  const auto block = builder.at_ms(805).allocate(3 * kMiB);
  builder.at_ms(806).release(block);
  builder.at_ms(950).map(model, 8 * kMiB);
  const OneSecond pane(builder);
  const std::string thread = pane.activity().threads[0].name;

  const auto of_read = pane.words("a.gguf", 0, 170);

  REQUIRE(of_read.size() == 5);
  CHECK(of_read[0] == thread + " read a.gguf");
  CHECK(of_read[1] == "60.0 MiB, ≥ 600.0 MiB/s");
  CHECK(of_read[2] == "from 100 ms to 200 ms (100 ms)");
  CHECK(of_read[3] == "2 reads, 30.0 MiB on average (small ones in a row count as one)");
  CHECK(of_read[4] == "/m/a.gguf");
  CHECK(pane.words(thread, 1, 170) == of_read);
  CHECK(pane.words("a.gguf", 0, 950)[0] == thread + " mapped a.gguf");
  const auto of_allocations = pane.words(thread, 0, 805);
  REQUIRE(of_allocations.size() == 5);
  CHECK(of_allocations[2] == "1 allocation (100 per second)");
  CHECK(of_allocations[3] == "3.00 MiB allocated");
  CHECK(of_allocations[4] == "1 free (100 per second)");
  // The millisecond before the column of the allocation ends where that begins.
  CHECK(pane.words(thread, 0, 799)[2] == "0 allocations (0 per second)");
  CHECK(pane.words("a.gguf", 0, 600)[2] == "68.0 MiB read or mapped by " + thread);
}

TEST_CASE("where the bytes of a stretch lie in the file is said where it is known", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(100).open_file(model);
  const auto block = builder.allocate(40 * kMiB);
  builder.at_ms(150).read_into(model, 40 * kMiB, block);
  builder.origin(block, 0, model, 8 * kMiB, 40 * kMiB);
  builder.at_ms(900).read(model, kMiB);
  const OneSecond pane(builder);

  const auto& stretches = pane.activity().stretches;

  REQUIRE(stretches.size() == 2);
  CHECK(stretches[0].offsets == std::pair(8 * kMiB, 48 * kMiB));
  CHECK(pane.words("a.gguf", 0, 130)[4] == "offsets 8.00 MiB to 48.0 MiB of 100.0 MiB");
  CHECK_FALSE(stretches[1].offsets);
}

TEST_CASE("where the bytes lie in the file is not said where they may be another thread's",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  const auto helper = builder.thread(trace::ProcessId{0});
  const auto block = builder.at_ms(50).allocate(90 * kMiB);
  builder.at_ms(100).open_file(model);
  builder.at_ms(120).on(helper).open_file(model);
  builder.at_ms(150).on(trace::ThreadId{0}).read(model, 40 * kMiB);  // Nobody knows where to.
  builder.at_ms(180).on(helper).read_into(model, 40 * kMiB, block);
  builder.origin(block, 0, model, 40 * kMiB, 40 * kMiB);
  // The last one stands alone.
  builder.at_ms(880).open_file(model);
  builder.at_ms(900).read_into(model, 10 * kMiB, block);
  builder.origin(block, 40 * kMiB, model, 80 * kMiB, 10 * kMiB);
  const OneSecond pane(builder);

  const auto& stretches = pane.activity().stretches;

  REQUIRE(stretches.size() == 3);
  CHECK_FALSE(stretches[0].offsets);
  CHECK_FALSE(stretches[1].offsets);
  CHECK(stretches[2].offsets == std::pair(80 * kMiB, 90 * kMiB));
}

TEST_CASE("where the bytes lie in the file is said of all of a stretch or not at all", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  const auto block = builder.at_ms(50).allocate(90 * kMiB);
  builder.at_ms(100).open_file(model);
  builder.at_ms(150).read_into(model, 30 * kMiB, block);
  builder.origin(block, 0, model, 0, 30 * kMiB);
  builder.at_ms(155).read(model, 20 * kMiB);
  builder.at_ms(800).open_file(model);
  builder.at_ms(820).read_into(model, 10 * kMiB, block);
  builder.origin(block, 30 * kMiB, model, 50 * kMiB, 10 * kMiB);
  builder.at_ms(825).read_into(model, 10 * kMiB, block);
  builder.origin(block, 40 * kMiB, model, 90 * kMiB, 10 * kMiB);
  const OneSecond pane(builder);

  const auto& stretches = pane.activity().stretches;

  REQUIRE(stretches.size() == 2);
  CHECK_FALSE(stretches[0].offsets);
  CHECK(pane.words("a.gguf", 0, 810)[4] == "parts of offsets 50.0 MiB to 100.0 MiB of 100.0 MiB");
}

TEST_CASE("files come first by their bytes, and small ones and idle threads are folded", "[gui]") {
  tests::TraceBuilder builder;
  std::vector<trace::FileId> files;
  for (int i = 0; i < 9; ++i) {
    files.push_back(builder.file("/m/" + std::to_string(i), 100 * kMiB));
  }
  const auto library = builder.file("/lib/large.so", 500 * kMiB, true);
  const auto worker = builder.thread(trace::ProcessId{0});
  builder.thread(trace::ProcessId{0});
  builder.thread(trace::ProcessId{0});
  builder.at_ms(10).map(library, 500 * kMiB);
  builder.at_ms(20).allocate(900 * kMiB);
  for (std::size_t i = 0; i < files.size(); ++i) {
    builder.at_ms(100 + 50 * i).read(files[i], i == 8 ? 90 * kMiB : i == 3 ? kMiB : 1000 - i);
  }
  builder.on(worker).at_ms(800).read(files[3], 400);
  OneSecond pane(builder);
  const std::string busiest = pane.activity().threads[0].name;
  const std::string reader = pane.activity().threads[1].name;

  CHECK(pane.names() ==
        std::vector<std::string>{"8", "3", "8 more files", busiest, reader, "2 idle threads"});
  pane.input().all_files = true;
  pane.input().all_threads = true;
  CHECK(pane.names().size() == 10 + 1 + 4 + 1);
}

TEST_CASE("a row that is higher than the pane has its name, and the lanes that are whole",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto thread = i == 0 ? trace::ThreadId{0} : builder.thread(trace::ProcessId{0});
    builder.at_ms(100 + i).on(thread).open_file(model);
    builder.at_ms(200 + i).read(model, (i + 1) * kMiB);
  }
  OneSecond pane(builder);
  pane.place().y = 10;
  pane.place().height = 60;

  std::size_t most = 0;
  for (double scrolled = 0; scrolled < 120; ++scrolled) {
    CAPTURE(scrolled);
    pane.input().scrolled = scrolled;
    const auto layout = pane.layout();
    const auto row = std::ranges::find(layout.rows, "a.gguf", &gui::ActivityRow::name);
    REQUIRE(row != layout.rows.end());
    CHECK(row->box.y >= 10);
    CHECK(row->box.bottom() <= 70);
    most = std::max(most, row->lanes.size());
    for (const gui::ActivityLane& lane : row->lanes) {
      CHECK(lane.box.y >= row->box.y + 15);  // Not over the name.
      CHECK(lane.box.bottom() <= 70.5);
    }
  }
  CHECK(most >= 2);
}

TEST_CASE("bars lie within lanes of one pixel", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(100).open_file(model);
  builder.at_ms(200).read(model, 50 * kMiB);
  OneSecond pane(builder);
  pane.place().width = 101;

  const auto layout = pane.layout();
  REQUIRE(layout.rows.at(1).lanes.size() == 1);
  const gui::ActivityLane& lane = layout.rows[1].lanes[0];
  REQUIRE(lane.bars.size() == 1);
  CHECK(lane.bars[0].box.x >= lane.box.x);
  CHECK(lane.bars[0].box.right() <= lane.box.right());
}

TEST_CASE("a layout is kept until anything changes that it is made of", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 100 * kMiB);
  builder.at_ms(100).open_file(model);
  builder.at_ms(200).read(model, 50 * kMiB);
  auto trace = builder.open();
  gui::Activity activity = activity_of(trace);
  picture::Subject subject;
  subject.phases.push_back({.name = "load", .begin_ns = 5, .end_ns = 9, .peak_bytes = 7});
  picture::Warp warp({{0, 0}, {1, trace.duration_ns()}});
  const picture::Type type = gui::screen_type(1);
  const auto measure = tests::wide_letters();
  const auto theme = picture::light_theme();
  const gui::Look look{theme, type, measure};
  picture::Box place{0, 0, 1100, 900};
  gui::ActivityInput input{
      .activity = &activity, .subject = &subject, .warp = &warp, .range = {}, .left = 100};
  gui::KeptActivityLayout kept;
  int number = 0;
  // What is not asked for again is not seen to have another name.
  const auto is_made_anew = [&] {
    const std::string name = std::to_string(++number);
    activity.files[0].path = "/m/" + name;
    return kept.of(input, place, look).rows.at(1).name == name;
  };

  CHECK(is_made_anew());
  CHECK_FALSE(is_made_anew());
  input.range = {0.1, 0.2};
  CHECK(is_made_anew());
  input.scrolled = 1;
  CHECK(is_made_anew());
  input.all_files = true;
  CHECK(is_made_anew());
  place.height = 800;
  CHECK(is_made_anew());
  subject.phases[0].peak_bytes = 8;
  CHECK(is_made_anew());
  warp = picture::Warp({{0, 0}, {1, 2 * trace.duration_ns()}});
  CHECK(is_made_anew());
  kept.forget();
  CHECK(is_made_anew());
  CHECK_FALSE(is_made_anew());
}

TEST_CASE("threads, files and phases are on the timeline's axis, with its ticks", "[gui]") {
  const auto gallery = tests::Gallery().load(tests::append_naive_load);
  const picture::Subject& subject = gallery.subjects().front();
  const gui::Activity activity = activity_of(*subject.trace);
  const picture::Warp warp({{0, 0}, {1, subject.duration_ns}});
  const std::vector<picture::AxisTick> ticks{{0.25, "1 s"}, {0.5, "2 s"}};
  const picture::Type type = gui::screen_type(1);
  const auto measure = tests::wide_letters();
  const auto theme = picture::light_theme();
  const gui::Look look{theme, type, measure};
  picture::Scene scene{.width = 900, .height = 600, .background = {}, .items = {}};
  const picture::Box place{10, 0, 880, 600};
  const gui::ActivityInput input{
      .activity = &activity, .subject = &subject, .warp = &warp, .range = {}, .left = 80};

  gui::draw_activity(scene, input, gui::lay_out_activity(input, place, look), ticks, {}, place,
                     look);

  REQUIRE_FALSE(subject.phases.empty());
  const auto bars = tests::fills_of(scene, picture::Part::kPhase);
  const double begin = std::ranges::min_element(bars, {}, &picture::Point::x)->x;
  const double share = static_cast<double>(subject.phases.front().begin_ns) /
                       static_cast<double>(subject.duration_ns);
  CHECK(begin == Approx(90 + 800 * share).margin(1));
  const auto lines = tests::strokes_of(scene, picture::Part::kGrid);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].x == Approx(90 + 200).margin(1));
  CHECK(lines[2].x == Approx(90 + 400).margin(1));
  for (const picture::Label& label : tests::labels_of(scene)) {
    CAPTURE(label.text);
    CHECK(label.box.right() <= 890);
  }

  // The axis begins where names do: no line crosses a letter.
  scene.items.clear();
  gui::draw_activity(scene, input, gui::lay_out_activity(input, place, look), {{{0, "0"}}}, {},
                     place, look);
  const double line = tests::strokes_of(scene, picture::Part::kGrid).front().x;
  std::size_t crossed = 0;
  for (auto item = scene.items.begin(); item != scene.items.end(); ++item) {
    const auto* label = std::get_if<picture::Label>(&*item);
    if (label == nullptr || label->box.x > line || label->box.right() < line) {
      continue;
    }
    CAPTURE(label->text);
    ++crossed;
    CHECK(std::any_of(scene.items.begin(), item, [&](const auto& before) {
      const auto* fill = std::get_if<picture::Fill>(&before);
      const double middle = label->baseline.y - label->size / 3;
      return fill != nullptr && fill->outline[0].x <= line && line <= fill->outline[2].x &&
             fill->outline[0].y <= middle && middle <= fill->outline[2].y;
    }));
  }
  CHECK(crossed > 2);
}
