#include "gui/view/activity/activity.hpp"

#include "gui/view/activity/activity_picture.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <numeric>

using namespace tidemark;

TEST_CASE("each thread and each file has a row with what it did when", "[gui]") {
  tests::TraceBuilder builder;
  const auto model = builder.file("/m/a.gguf", 1000);
  const auto helper = builder.thread(trace::ProcessId{0});
  builder.at_ns(5000).allocate(100);
  builder.at_ns(55000).on(helper).allocate(700);
  builder.at_ns(60000).read(model, 300);
  builder.at_ns(95000).map(model, 400);
  builder.session.duration_ns = 99'999;
  auto trace = builder.open();
  gui::ActivityGatherer gatherer(trace, 10);
  while (gatherer.step()) {
  }

  const gui::Activity activity = gatherer.take();

  REQUIRE(activity.threads.size() == 2);
  CHECK(activity.threads[0].total == 700);  // Most first.
  CHECK(activity.threads[0].bytes[5] == 700);
  CHECK(activity.threads[1].bytes[0] == 100);
  REQUIRE(activity.files.size() == 1);
  CHECK(activity.files[0].bytes[6] == 300);
  CHECK(activity.files[0].mapped[9] == 400);
  CHECK(activity.borders.size() == 11);
}

TEST_CASE("threads, files and phases are on the timeline's axis, with its ticks", "[gui]") {
  const auto gallery = tests::Gallery().load(tests::append_naive_load);
  const picture::Subject& subject = gallery.subjects().front();
  gui::ActivityGatherer gatherer(*subject.trace, 100);
  while (gatherer.step()) {
  }
  const gui::Activity activity = gatherer.take();
  const picture::Warp warp({{0, 0}, {1, subject.duration_ns}});
  const std::vector<picture::AxisTick> ticks{{0.25, "1 s"}, {0.5, "2 s"}};
  const picture::Type type = gui::screen_type(1);
  const auto measure = tests::wide_letters();
  picture::Scene scene{.width = 900, .height = 600, .background = {}, .items = {}};

  gui::draw_activity(scene,
                     {.activity = &activity,
                      .subject = &subject,
                      .warp = &warp,
                      .range = {},
                      .left = 80,
                      .ticks = ticks},
                     {10, 0, 880, 600}, {picture::light_theme(), type, measure});

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
}
