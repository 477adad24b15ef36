// Runs the built `tidemark` as a person would.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

using namespace tidemark;
using tests::check_refused;
using tests::naive_trace;
using tests::tidemark_with;
using tests::TraceBuilder;

TEST_CASE("report prints text, and JSON when asked", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto text = tidemark_with("report " + path);
  const auto json = tidemark_with("report --format json " + path);

  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::StartsWith("peak 10.0 GiB = 2.00 x the 5.00 GiB model"));
  CHECK(text.err.empty());
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out).at("schema") == 1);
}

TEST_CASE("report and diff print markdown when asked", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto report = tidemark_with("report --format markdown " + path);
  const auto diff = tidemark_with("diff --format markdown " + path + ' ' + path);

  CHECK(report.status == 0);
  CHECK_THAT(report.out, Catch::StartsWith("**peak 10.0 GiB = 2.00 x the 5.00 GiB model"));
  CHECK(diff.status == 0);
  CHECK_THAT(diff.out, Catch::StartsWith("**peak 10.0 GiB → 10.0 GiB: unchanged"));
}

TEST_CASE("diff prints text, and JSON when asked", "[cli]") {
  TraceBuilder before;
  const auto before_path = naive_trace(before);
  TraceBuilder after;
  tests::append_streamed_load(after);
  const auto paths = before_path + ' ' + after.finish();

  const auto text = tidemark_with("diff " + paths);
  const auto json = tidemark_with("diff --format json --top 1 " + paths);

  CHECK(text.status == 0);
  CHECK_THAT(text.out,
             Catch::StartsWith("peak 10.0 GiB -> 5.01 GiB: -49.9%, ratio 2.00 -> 1.00\n"));
  CHECK(text.err.empty());
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out).at("stacks").size() == 1);
}

TEST_CASE("one model for both sides of a diff is taken from the command line", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto diff = tidemark_with("diff --model 2GiB " + path + ' ' + path);

  CHECK_THAT(diff.out, Catch::Contains("ratio 5.00 -> 5.00"));
}

TEST_CASE("report takes an instant, a count and a model", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto report = tidemark_with("report " + path + " --at 1s --top 1 --model 2GiB");

  CHECK(report.status == 0);
  CHECK_THAT(report.out, Catch::Contains("= 5.00 x the 2.00 GiB model"));
  CHECK_THAT(report.out, Catch::Contains("alive at 1.0 s: 5.00 GiB from 2 stacks"));
  CHECK_THAT(report.out, Catch::Contains("1 more stack\n"));
}

TEST_CASE("report and diff show whole stacks when asked", "[cli]") {
  const auto deep = [](TraceBuilder& trace, std::uint64_t size) {
    trace.at_ms(1).allocate(size, trace.stack({"malloc", "load", "f1", "f2", "f3", "f4", "f5", "f6",
                                               "f7", "f8", "main", "_start"}));
    return trace.finish();
  };
  TraceBuilder before;
  TraceBuilder after;
  const auto before_path = deep(before, 100);
  const auto paths = before_path + ' ' + deep(after, 200);

  CHECK_THAT(tidemark_with("report " + before_path).out, !Catch::Contains("f5"));
  CHECK_THAT(tidemark_with("report --whole-stacks " + before_path).out,
             Catch::Contains(" f5  [loader]") && Catch::Contains(" _start  [loader]"));
  CHECK_THAT(tidemark_with("diff " + paths).out, !Catch::Contains("f5"));
  CHECK_THAT(tidemark_with("diff --whole-stacks " + paths).out,
             Catch::Contains(" f5  [loader]") && Catch::Contains(" _start  [loader]"));
}

TEST_CASE("a time that reads as the end is the end", "[cli]") {
  TraceBuilder trace;
  trace.at_ns(1'160'000'000).allocate(100);
  const auto path = trace.finish();

  CHECK(tidemark_with("report --at 1.2s " + path).status == 0);
  check_refused(tidemark_with("report --at 1.3s " + path), "which took 1.2 s");
}

TEST_CASE("what a program never gave back is what it had when it ended", "[cli]") {
  TraceBuilder trace;
  const auto kept = trace.stack({"malloc", "keeps a.cpp:1", "main a.cpp:9"});
  const auto freed = trace.stack({"malloc", "frees a.cpp:2", "main a.cpp:9"});
  trace.at_ms(1);
  trace.allocate(5 << 20, kept);
  const auto block = trace.allocate(20 << 20, freed);
  trace.at_ms(2);
  trace.release(block);
  trace.at_ms(8);
  trace.end_process(trace::ProcessId{0});
  trace.at_ms(9);
  const std::string path = trace.finish();

  const auto json =
      nlohmann::json::parse(tidemark_with("report --format json --at end " + path).out);
  REQUIRE(json.at("at_peak").size() == 1);
  CHECK(json.at("at_peak").at(0).at("bytes") == 5 << 20);
  CHECK(json.at("at_ns") == 7'999'999);
  CHECK_THAT(tidemark_with("report --at end " + path).out,
             Catch::Contains("alive at 8.0 ms: 5.00 MiB from 1 stack"));
  CHECK(tidemark_with("export --to collapsed --at end " + path).out ==
        "heap;main;keeps;malloc 5242880\n");

  // Of one that is still running it is what stands at the end of the recording.
  TraceBuilder running;
  running.allocate(3 << 20, running.stack({"malloc", "keeps a.cpp:1", "main a.cpp:9"}));
  CHECK_THAT(tidemark_with("report --at end " + running.finish()).out,
             Catch::Contains(": 3.00 MiB from 1 stack"));
}
