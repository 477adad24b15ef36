#include "analyzer/query/footprint/timeline.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace tidemark;
using analyzer::Extents;
using tests::TraceBuilder;

namespace {

/// The definition of a column, with no thought for speed.
Extents replayed_column(const std::vector<trace::Event>& events,
                        std::uint64_t from,
                        std::uint64_t to) {
  trace::LaneTotals totals;
  Extents column;
  std::size_t next = 0;
  for (; next < events.size() && events[next].at_ns < from; ++next) {
    trace::apply(events[next], totals);
  }
  column.include(totals);
  for (; next < events.size() && events[next].at_ns < to; ++next) {
    trace::apply(events[next], totals);
    column.include(totals);
  }
  return column;
}

void check_columns(TraceBuilder& trace,
                   analyzer::Timeline& timeline,
                   std::uint64_t begin,
                   std::uint64_t end,
                   std::size_t count) {
  CAPTURE(begin, end, count);
  const auto columns = timeline.columns(begin, end, count);
  REQUIRE(columns.size() == count);
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint64_t from = begin + (end - begin) * c / count;
    const std::uint64_t to = begin + (end - begin) * (c + 1) / count;
    CAPTURE(c);
    const bool is_equal = columns[c] == replayed_column(trace.events(), from, to);
    REQUIRE(is_equal);
  }
}

void append_random_events(TraceBuilder& trace, std::mt19937& random, int count) {
  trace.file("/m/model", 1);  // What blocks in the file lane are mappings of.
  std::vector<std::uint64_t> alive;
  std::uint64_t now = 0;
  for (int i = 0; i < count; ++i) {
    // Bursts at one instant, steps, and pauses longer than a column.
    now += random() % 4 == 0 ? random() % 40 * 100 : (random() % 50 == 0 ? 200'000 : 0);
    trace.at_ns(now);
    if (alive.empty() || random() % 2 == 0) {
      alive.push_back(trace.allocate(1 + random() % 100'000, trace::kNoStack,
                                     static_cast<trace::Lane>(random() % trace::kLaneCount)));
    } else {
      std::swap(alive[random() % alive.size()], alive.back());
      trace.release(alive.back());
      alive.pop_back();
    }
    if (random() % 40 == 0) {
      trace.flush();
    }
  }
}

}  // namespace

TEST_CASE("columns equal a plain replay at every zoom of random traces", "[timeline]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  append_random_events(trace, random, 2000);
  const std::uint64_t end = trace.events().back().at_ns + 1;
  auto loaded = trace.open();
  analyzer::Timeline timeline(loaded);

  for (const std::size_t count : {1U, 2U, 3U, 7U, 80U, 501U}) {
    check_columns(trace, timeline, 0, end, count);
    check_columns(trace, timeline, 0, end * 2, count);
  }
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t from = random() % end;
    const std::uint64_t width = 1 + random() % (random() % 2 == 0 ? 500 : end);
    check_columns(trace, timeline, from, from + width, 1 + random() % 60);
  }
}

TEST_CASE("columns of any width, none too, equal a plain replay", "[timeline]") {
  std::mt19937 random(11);
  TraceBuilder trace;
  append_random_events(trace, random, 2000);
  const std::uint64_t end = trace.events().back().at_ns + 1;
  auto loaded = trace.open();
  analyzer::Timeline timeline(loaded);
  std::vector<std::uint64_t> borders{0, 0, end, end};
  for (int i = 0; i < 200; ++i) {
    borders.push_back(random() % end);
  }
  std::sort(borders.begin(), borders.end());

  const auto columns = timeline.columns(borders);

  REQUIRE(columns.size() == borders.size() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    CAPTURE(c);
    const bool is_equal = columns[c] == replayed_column(trace.events(), borders[c], borders[c + 1]);
    CHECK(is_equal);
  }
  CHECK(timeline.columns(std::vector<std::uint64_t>{5}).empty());
}

TEST_CASE("a block that lives for one event shows at any zoom", "[timeline]") {
  TraceBuilder trace;
  trace.at_ms(0).allocate(100);
  for (std::uint64_t ms = 1; ms < 50; ++ms) {
    trace.release(trace.at_ms(ms).allocate(10));
  }
  trace.release(trace.at_ms(50).allocate(300 << 20));
  trace.at_ms(10'000).allocate(1);
  auto loaded = trace.open();
  analyzer::Timeline timeline(loaded);

  for (const std::size_t count : {1U, 10U, 1000U}) {
    std::uint64_t highest = 0;
    for (const auto& column : timeline.columns(0, 10'000'000'001, count)) {
      highest = std::max(highest, column.footprint.maximum);
    }
    CHECK(highest == 100 + (300 << 20));
  }
}

TEST_CASE("drawn from summaries alone no maximum is too low", "[timeline]") {
  std::mt19937 random(7);
  TraceBuilder trace;
  append_random_events(trace, random, 2000);
  auto loaded = trace.open();
  analyzer::Timeline timeline(loaded);
  const std::uint64_t end = loaded.duration_ns() + 1;

  const auto exact = timeline.columns(0, end, 100);
  const auto quick = timeline.columns(0, end, 100, analyzer::Detail::kSummaries);

  REQUIRE(quick.size() == exact.size());
  for (std::size_t c = 0; c < exact.size(); ++c) {
    CHECK(quick[c].footprint.maximum >= exact[c].footprint.maximum);
    CHECK(quick[c].footprint.minimum <= exact[c].footprint.minimum);
  }
}

TEST_CASE("no columns, an empty range and an empty trace are no trouble", "[timeline]") {
  TraceBuilder trace;
  auto loaded = trace.open();
  analyzer::Timeline timeline(loaded);

  CHECK(timeline.columns(0, 100, 0).empty());
  CHECK(timeline.columns(100, 100, 5).empty());
  const auto columns = timeline.columns(0, UINT64_MAX, 3);
  REQUIRE(columns.size() == 3);
  CHECK(columns[1].footprint.maximum == 0);
}

TEST_CASE("the pyramid answers for any run of blocks", "[timeline]") {
  std::vector<trace::BlockSummary> blocks(300);
  std::mt19937 random(3);
  for (auto& block : blocks) {
    block.maximum_footprint = 1000 + random() % 1000;
    block.minimum_footprint = random() % 1000;
  }
  const analyzer::SummaryPyramid pyramid(blocks);

  for (std::size_t first = 0; first < blocks.size(); first += 13) {
    for (std::size_t last = first + 1; last <= blocks.size(); last += 11) {
      Extents expected;
      for (std::size_t i = first; i < last; ++i) {
        expected.include(blocks[i]);
      }
      const bool is_equal = pyramid.over(first, last) == expected;
      CHECK(is_equal);
    }
  }
}
