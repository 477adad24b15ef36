#include "gui/view/timeline/column_set.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace tidemark;
using gui::ColumnSet;
using gui::ViewRange;
using tests::kMiB;

namespace {

/// Small blocks that come and go, one of 300 MiB for one event at 700 ms, over one second.
void append_spike(tests::TraceBuilder& trace) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto block = trace.at_ns(i * 2'000'000).allocate(kMiB);
    if (i == 350) {
      const auto spike = trace.allocate(300 * kMiB);
      trace.release(spike);
    }
    if (i % 100 == 0) {
      trace.flush();
    }
    trace.at_ns(i * 2'000'000 + 1'000'000).release(block);
  }
  trace.session.duration_ns = 1'000'000'000;
}

picture::Warp whole(std::uint64_t end_ns) {
  return picture::Warp({{0, 0}, {1, end_ns}});
}

ColumnSet exact(analyzer::LoadedTrace& trace, const ViewRange& range, std::size_t count) {
  ColumnSet set{range, count, {}, 0};
  set.columns =
      picture::stacked_columns(trace, gui::borders_of(whole(1'000'000'001), range, count));
  return set;
}

std::uint64_t highest(const std::vector<picture::StackedColumn>& columns) {
  std::uint64_t most = 0;
  for (const auto& column : columns) {
    most = std::max(most, column.highest.footprint());
  }
  return most;
}

}  // namespace

TEST_CASE("a block that lives for one event is in view at any zoom that holds its time", "[gui]") {
  tests::TraceBuilder builder;
  append_spike(builder);
  auto trace = builder.open();
  const ColumnSet all = exact(trace, {}, 200);
  const auto width = GENERATE(1.0, 0.37, 0.1, 0.0123, 1e-4);
  const ViewRange range = gui::kept_on_axis({0.7 - width / 3, 0.7 + width * 2 / 3});
  CAPTURE(width);

  CHECK(highest(exact(trace, range, 200).columns) == 301 * kMiB);
  CHECK(highest(gui::resampled(all, range, 200)) == 301 * kMiB);
  CHECK(highest(gui::resampled(all, range, 7)) == 301 * kMiB);
  analyzer::Timeline timeline(trace);
  const auto borders = gui::borders_of(whole(1'000'000'001), range, 200);
  CHECK(highest(gui::columns_of(timeline.columns(borders, analyzer::Detail::kSummaries))) ==
        301 * kMiB);
}

TEST_CASE("columns made from others never hide what is exact", "[gui]") {
  tests::TraceBuilder builder;
  append_spike(builder);
  auto trace = builder.open();
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0, 1);
  const double a = place(random);
  const double b = place(random);
  const ViewRange range{std::min(a, b), std::max(a, b) + 1e-6};
  const ViewRange inside = gui::kept_on_axis(range);

  const auto wanted = exact(trace, inside, 300).columns;
  const auto made = gui::resampled(exact(trace, {}, 173), inside, 300);

  REQUIRE(made.size() >= wanted.size());
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    CAPTURE(c);
    CHECK(made[c].highest.footprint() >= wanted[c].highest.footprint());
    CHECK(made[c].lowest.footprint() <= wanted[c].lowest.footprint());
  }
}

TEST_CASE("with margins, panning by whole pixels finds its columns", "[gui]") {
  tests::TraceBuilder builder;
  append_spike(builder);
  auto trace = builder.open();
  constexpr std::size_t kCount = 640;
  const ViewRange range{0.31, 0.47};
  ColumnSet set = gui::with_margins(range, kCount);
  set = exact(trace, set.range, set.count);
  const auto pixels = GENERATE(0, 1, 7, 100, -13, -320);
  CAPTURE(pixels);
  const ViewRange moved = gui::panned(range, range.width() / kCount * pixels);

  REQUIRE(gui::has_exactly(set, moved, kCount));
  const auto found = gui::resampled(set, moved, kCount);
  const auto wanted = exact(trace, moved, kCount).columns;
  REQUIRE(found.size() == wanted.size());
  std::size_t equal = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    equal += found[c].highest == wanted[c].highest && found[c].lowest == wanted[c].lowest ? 1U : 0U;
  }
  // An event on a border may fall to either side: its time is rounded to nanoseconds.
  CHECK(equal + 2 >= found.size());
}

TEST_CASE("where a trace ends first it has no columns", "[gui]") {
  const picture::Warp half({{0, 0}, {0.5, 1000}});
  CHECK(gui::borders_of(half, {0, 1}, 100).size() == 51);
  CHECK(gui::borders_of(half, {0.25, 0.75}, 100).size() == 51);
  CHECK(gui::borders_of(half, {0.6, 0.8}, 100).empty());
  CHECK(gui::borders_of(half, {0, 1}, 100).back() == 1000);
}
