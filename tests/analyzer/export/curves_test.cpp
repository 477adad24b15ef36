// What pictures over time are made of: few points, and no extreme lost.
#include "analyzer/export/csv.hpp"
#include "analyzer/export/curves/highest_instants.hpp"
#include "analyzer/export/curves/lane_points.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <sstream>

using namespace tidemark;
using exports::CounterPoint;
using exports::CounterPoints;
using tests::TraceBuilder;

namespace {

std::uint64_t highest(const std::vector<CounterPoint>& points) {
  return std::ranges::max_element(points, {}, &CounterPoint::value)->value;
}

/// `steps` allocations and releases in random order, a block of the trace every `steps_a_block`.
void append_waves(TraceBuilder& trace, unsigned seed, std::uint64_t steps, unsigned steps_a_block) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> alive;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    trace.at_ns(step * 1000);
    if (alive.empty() || random() % 2 == 0) {
      alive.push_back(trace.allocate(1 + random() % 100'000));
    } else {
      trace.release(alive.back());
      alive.pop_back();
    }
    if (step % steps_a_block == 0) {
      trace.flush();
    }
  }
}

}  // namespace

TEST_CASE("few values stay as they were, at their times", "[export]") {
  CounterPoints points({.begin_ns = 0, .end_ns = 1'000'000});
  const std::vector<CounterPoint> given{{0, 0}, {10'000, 5}, {500'000, 9}, {990'000, 3}};
  for (const auto& point : given) {
    points.add(point.at_ns, point.value);
  }

  CHECK(points.take() == given);
}

TEST_CASE("of a million values the one spike is kept, at its time", "[export]") {
  CounterPoints points({.begin_ns = 0, .end_ns = 1'000'000});
  for (std::uint64_t ns = 0; ns <= 1'000'000; ++ns) {
    points.add(ns, ns == 777'777 ? 1'000'000 : ns % 7);
  }

  const auto kept = points.take();

  CHECK(kept.size() <= 4 * CounterPoints::kColumns);
  CHECK(std::ranges::count(kept, CounterPoint{777'777, 1'000'000}) == 1);
  CHECK(std::ranges::is_sorted(kept, {}, &CounterPoint::at_ns));
  CHECK(kept.back() == CounterPoint{1'000'000, 1});
}

TEST_CASE("values outside the span are left out, and repeated ones but for the end", "[export]") {
  CounterPoints points({.begin_ns = 100, .end_ns = 200});
  for (const std::uint64_t ns : {50U, 100U, 150U, 190U, 250U}) {
    points.add(ns, 4);
  }

  CHECK(points.take() == std::vector<CounterPoint>{{100, 4}, {190, 4}});
}

TEST_CASE("curves hold the exact peak, whether blocks are decoded or summed up", "[export]") {
  const auto steps_a_block = GENERATE(1U, 3U, 100'000U);
  CAPTURE(steps_a_block);
  TraceBuilder trace;
  append_waves(trace, 5, 6000, steps_a_block);
  auto loaded = trace.open();
  const auto peak = analyzer::find_peak(loaded);

  // So long a span that many blocks lie in one column.
  const auto curves = exports::lane_curves(loaded, {.begin_ns = 0, .end_ns = 60'000'000});

  CHECK(highest(curves.footprint) == peak.footprint_bytes);
  CHECK(highest(curves.lanes[0]) == analyzer::find_lane_peaks(loaded)[trace::Lane::kHeap]);
  CHECK(std::ranges::is_sorted(curves.footprint, {}, &CounterPoint::at_ns));
  CHECK(std::ranges::count(curves.footprint, CounterPoint{peak.at.at_ns, peak.footprint_bytes}) >=
        1);
}

TEST_CASE("a curve that begins in the middle begins with what stood there", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(100);
  trace.at_ms(9).allocate(50);
  auto loaded = trace.open();

  const auto curves = exports::lane_curves(loaded, {.begin_ns = 5'000'000, .end_ns = 10'000'000});

  CHECK(curves.footprint ==
        std::vector<CounterPoint>{{5'000'000, 100}, {9'000'000, 150}, {10'000'000, 150}});
}

TEST_CASE("the highest instants are the highest, each in its stretch", "[export]") {
  const auto steps_a_block = GENERATE(1U, 7U, 100'000U);
  CAPTURE(steps_a_block);
  TraceBuilder trace;
  append_waves(trace, 9, 2000, steps_a_block);
  auto loaded = trace.open();
  const exports::TimeSpan span{.begin_ns = 0, .end_ns = 2'000'000};

  const auto found = exports::highest_instants(loaded, span, 10);

  REQUIRE(found.size() == 10);
  const exports::Columns columns(span, 10);
  std::vector<std::uint64_t> expected(10);
  trace::LaneTotals totals;
  for (const auto& event : trace.events()) {
    trace::apply(event, totals);
    auto& most = expected[columns.of(event.at_ns)];
    most = std::max(most, totals.footprint());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    // A block's value before its first event belongs to the stretch before, so it may be higher.
    CHECK(found[i].footprint_bytes >= expected[i]);
    CHECK(loaded.totals_at(found[i].at).value().footprint() == found[i].footprint_bytes);
  }
  CHECK(std::ranges::max_element(found, {}, &exports::FootprintInstant::footprint_bytes)
            ->footprint_bytes == analyzer::find_peak(loaded).footprint_bytes);
}

TEST_CASE("csv: the timeline shows a spike of one event, and samples where they were", "[export]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1000);
  trace.at_ms(500).release(trace.allocate(300'000'000));
  trace.sample(4096, 8192);
  trace.session.duration_ns = 1'000'000'000;
  auto loaded = trace.open();

  std::istringstream csv(exports::timeline_csv(loaded, {.begin_ns = 0, .end_ns = 999'999'999}));

  std::string line;
  std::getline(csv, line);
  CHECK(line ==
        "begin_ns,end_ns,heap_min,heap_max,anon_min,anon_max,device_min,device_max,shared_min,"
        "shared_max,file_min,"
        "file_max,footprint_min,footprint_max,rss_anon,rss_file,rss_shmem");
  std::vector<std::string> rows;
  while (std::getline(csv, line)) {
    rows.push_back(line);
  }
  REQUIRE(rows.size() == 1000);
  CHECK(rows[0] == "0,1000000,0,0,0,0,0,0,0,0,0,0,0,0,,,");
  CHECK(rows[500] ==
        "500000000,501000000,1000,300001000,0,0,0,0,0,0,0,0,1000,300001000,4096,8192,0");
}
