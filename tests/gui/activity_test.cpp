#include "gui/view/activity/activity.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

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
