#include "analyzer/query/footprint/peak.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using tests::TraceBuilder;

TEST_CASE("the peak includes a block that lives for one event", "[peak]") {
  TraceBuilder trace;
  const auto kept = trace.at_ms(1).allocate(100);
  trace.release(trace.at_ms(2).allocate(1'000'000));
  trace.at_ms(3).allocate(50);
  trace.release(kept);
  auto loaded = trace.open();

  const auto peak = analyzer::find_peak(loaded);

  CHECK(peak.footprint_bytes == 1'000'100);
  CHECK(peak.at.at_ns == 2'000'000);
  CHECK(peak.lanes[trace::Lane::kHeap] == 1'000'100);
  CHECK(peak.lanes_exact);
}

TEST_CASE("the peak is the first of several equal ones, across blocks", "[peak]") {
  TraceBuilder trace;
  trace.release(trace.at_ms(1).allocate(700));
  trace.flush();
  trace.release(trace.at_ms(2).allocate(700));
  auto loaded = trace.open();

  CHECK(analyzer::find_peak(loaded).at.at_ns == 1'000'000);
}

TEST_CASE("file mappings are no part of the peak, device memory is", "[peak]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(100);
  trace.map(trace.file("/m/model.params", 5000), 5000);
  trace.allocate(30, trace::kNoStack, trace::Lane::kDevice);
  trace.allocate(7, trace::kNoStack, trace::Lane::kAnon);
  auto loaded = trace.open();

  CHECK(analyzer::find_peak(loaded).footprint_bytes == 137);
  CHECK(analyzer::find_lane_peaks(loaded)[trace::Lane::kFile] == 5000);
}

TEST_CASE("lane peaks are each lane's own, at different instants", "[peak]") {
  TraceBuilder trace;
  trace.release(trace.at_ms(1).allocate(900));
  trace.flush();
  trace.release(trace.at_ms(2).allocate(800, trace::kNoStack, trace::Lane::kAnon));
  auto loaded = trace.open();

  const auto lanes = analyzer::find_lane_peaks(loaded);

  CHECK(lanes[trace::Lane::kHeap] == 900);
  CHECK(lanes[trace::Lane::kAnon] == 800);
}

TEST_CASE("a trace without events has a peak of nothing", "[peak]") {
  TraceBuilder trace;
  auto loaded = trace.open();

  CHECK(analyzer::find_peak(loaded).footprint_bytes == 0);
}

TEST_CASE("a realloc counts the new size in place of the old one", "[peak]") {
  TraceBuilder trace;
  const auto small = trace.at_ms(1).allocate(100);
  const auto large = trace.at_ms(2).reallocate(small, 1000);
  trace.at_ms(3).reallocate(large, 10);
  auto loaded = trace.open();

  CHECK(analyzer::find_peak(loaded).footprint_bytes == 1000);
}
