#include "analyzer/query/resident.hpp"

#include "analyzer/load/scan.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using tests::TraceBuilder;

TEST_CASE("resident memory sums the last sample of every process alive", "[resident]") {
  TraceBuilder trace;
  const auto child = trace.process(101, "child");
  trace.on(trace.thread(child));
  trace.at_ms(1).sample(100, 10);
  trace.at_ms(2).sample(500, 20, child);
  trace.at_ms(3).sample(200, 10);
  trace.at_ms(4).end_process(child);
  trace.at_ms(5).sample(300, 10);
  auto loaded = trace.open();

  const auto series = analyzer::resident_series(loaded);
  const auto peaks = analyzer::find_resident_peaks(loaded, series);

  REQUIRE(series.size() == 4);
  CHECK(series[3].anon_bytes == 300);
  CHECK(peaks.anon_bytes == 700);
  CHECK(peaks.file_bytes == 30);
  CHECK(peaks.total_bytes == 730);
}

TEST_CASE("unexplained is what resident anonymous memory exceeds heap and anon by", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1000);
  trace.at_ms(2).sample(1500);
  trace.at_ms(3).allocate(1000, trace::kNoStack, trace::Lane::kAnon);
  trace.at_ms(4).sample(1600);
  trace.at_ms(5).allocate(1);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained_bytes == 500);
}

TEST_CASE("a large block that the kernel still takes back is not unexplained", "[resident]") {
  TraceBuilder trace;
  const auto block = trace.at_ms(1).allocate(300'000'000);
  trace.at_ms(500).sample(300'000'000);
  trace.at_ms(501).release(block);
  trace.at_ms(510).sample(280'000'000);
  trace.at_ms(550).sample(90'000'000);
  trace.at_ms(900).sample(4000);
  trace.at_ms(901).allocate(1);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained_bytes == 4000);
}

TEST_CASE("memory that is not resident makes nothing unexplained", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(1'000'000);
  trace.at_ms(2).sample(1500);
  auto loaded = trace.open();

  CHECK(analyzer::scan(loaded, analyzer::resident_series(loaded)).unexplained_bytes == 0);
}
