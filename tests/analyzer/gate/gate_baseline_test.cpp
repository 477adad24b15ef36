#include "analyzer/gate/gate.hpp"
#include "analyzer/gate/gate_stacks.hpp"
#include "tests/analyzer/gate/gate_decisions.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::Gauge;
using analyzer::Verdict;
using tests::against;
using tests::append_two_lanes;
using tests::baseline_of;
using tests::budget;
using tests::decided;
using tests::kMiB;
using tests::lane_budget;
using tests::phase_budget;
using tests::reference_to;
using tests::refusal;
using tests::TraceBuilder;

namespace {}  // namespace

TEST_CASE("a baseline allows its tolerance to the byte", "[gate]") {
  TraceBuilder before;
  before.allocate(1000);
  auto reference = reference_to(baseline_of(before));
  const auto verdict_at = [&](std::uint64_t bytes) {
    TraceBuilder after;
    after.allocate(bytes);
    return decided(after, against(reference)).verdict;
  };

  CHECK(verdict_at(1020) == Verdict::kPass);
  CHECK(verdict_at(1021) == Verdict::kRegression);
  CHECK(verdict_at(10) == Verdict::kPass);
  reference.tolerance_percent = 0;
  CHECK(verdict_at(1000) == Verdict::kPass);
  CHECK(verdict_at(1001) == Verdict::kRegression);
  reference.slack_bytes = 500;
  CHECK(verdict_at(1500) == Verdict::kPass);
  CHECK(verdict_at(1501) == Verdict::kRegression);
}

TEST_CASE("tolerance and slack do not add up", "[gate]") {
  TraceBuilder before;
  before.allocate(1000);
  auto reference = reference_to(baseline_of(before));
  reference.tolerance_percent = 10;
  reference.slack_bytes = 60;
  TraceBuilder after;
  after.allocate(1101);

  const auto result = decided(after, against(reference));

  CHECK(result.limit_bytes == 1100);
  CHECK(result.baseline_bytes == 1000U);
  CHECK(result.verdict == Verdict::kRegression);
}

TEST_CASE("a huge tolerance does not wrap around", "[gate]") {
  TraceBuilder before;
  before.allocate(1000);
  auto reference = reference_to(baseline_of(before));
  reference.tolerance_percent = 1e300;
  TraceBuilder after;
  after.allocate(5000);

  CHECK(decided(after, against(reference)).verdict == Verdict::kPass);
}

TEST_CASE("against a baseline a smaller model proves nothing", "[gate]") {
  TraceBuilder before;
  before.allocate(10 * kMiB);
  const auto reference = reference_to(baseline_of(before, "8MiB"));
  const auto verdict_with = [&](const std::string& model, std::uint64_t bytes) {
    TraceBuilder after;
    after.allocate(bytes);
    return decided(after, against(reference), model);
  };

  CHECK(verdict_with("8MiB", 10 * kMiB).verdict == Verdict::kPass);
  CHECK(verdict_with("7.9MiB", 10 * kMiB).verdict == Verdict::kPass);
  const auto smaller = verdict_with("4MiB", 5 * kMiB);
  CHECK(smaller.verdict == Verdict::kInconclusive);
  CHECK(smaller.reason == "the model is 4.00 MiB, the baseline's was 8.00 MiB");
  CHECK(verdict_with({}, kMiB).reason == "no model was found, the baseline's was 8.00 MiB");
  CHECK(verdict_with("4MiB", 11 * kMiB).verdict == Verdict::kRegression);
}

TEST_CASE("a phase that the baseline does not know is refused", "[gate]") {
  TraceBuilder before;
  before.allocate(1);
  const auto reference = reference_to(baseline_of(before));
  TraceBuilder after;
  after.begin_phase("read");
  after.allocate(1);
  after.end_phase("read");

  CHECK_THAT(refusal(after, against(reference, {.phase = "read"})),
             Catch::Contains("B.json knows no phase 'read'"));
}

TEST_CASE("the stacks of an excess are those that grew since the baseline", "[gate]") {
  TraceBuilder before;
  before.allocate(100, before.stack({"malloc", "tensor a.cpp:1", "main a.cpp:9"}));
  before.allocate(50, before.stack({"malloc", "shrinks a.cpp:2", "main a.cpp:9"}));
  const auto reference = reference_to(baseline_of(before));
  TraceBuilder after;
  after.allocate(130, after.stack({"malloc", "tensor b.cpp:77", "main b.cpp:99"}));
  after.allocate(40, after.stack({"malloc", "shrinks b.cpp:78", "main b.cpp:99"}));
  after.allocate(80, after.stack({"malloc", "whole_file b.cpp:5", "main b.cpp:99"}));

  const auto result = decided(after, against(reference));

  REQUIRE(result.verdict == Verdict::kRegression);
  CHECK(result.stacks.grown);
  REQUIRE(result.stacks.stacks.size() == 2);
  CHECK(result.stacks.stacks[0].frames.at(1).function == "whole_file");
  CHECK(result.stacks.stacks[0].before_bytes == 0);
  CHECK(result.stacks.stacks[1].frames.at(1).function == "tensor");
  CHECK(result.stacks.stacks[1].before_bytes == 100);
  CHECK(result.stacks.stacks[1].bytes == 130);
  CHECK(result.stacks.stacks[1].frames.at(1).line == 77);
}

TEST_CASE("of very many stacks the largest are named, and the others are counted", "[gate]") {
  constexpr std::uint64_t kStacks = analyzer::kMaxComparedStacks + 20;
  TraceBuilder trace;
  for (std::uint64_t i = 0; i < kStacks; ++i) {
    // Each function from two lines, which are one stack without lines.
    for (const char* line : {" a.cpp:1", " a.cpp:2"}) {
      trace.allocate(1000 + i, trace.stack({"malloc", "f" + std::to_string(i) + line}));
    }
  }
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, analyzer::comparison_options({}));
  REQUIRE(report.ok());
  const auto baseline = analyzer::make_baseline(report.value());
  CHECK(baseline.stacks.size() + baseline.rest_stacks == kStacks);
  std::uint64_t bytes = baseline.rest.bytes;
  for (const auto& stack : baseline.stacks) {
    bytes += stack.bytes;
  }
  CHECK(bytes == report.value().peak.footprint_bytes);

  const auto& excess = decided(loaded, budget("1000")).stacks;
  CHECK(excess.stacks.size() == analyzer::kMaxComparedStacks);
  CHECK(excess.more_stacks == 20);
  CHECK(excess.stacks.front().bytes == 2 * (1000 + kStacks - 1));
  CHECK(excess.more_bytes == 20 * 2 * 1000 + 19 * 20);
}

TEST_CASE("Python's stacks are found again where lines moved, by name and file", "[gate]") {
  const auto python = [](const std::string& function, const std::string& file, std::uint32_t line) {
    return analyzer::NamedFrame{
        .function = function, .file = file, .line = line, .module = "", .is_python = true};
  };
  const auto native = [](const std::string& function) {
    return analyzer::NamedFrame{
        .function = function, .file = "", .line = 0, .module = "/usr/bin/python3"};
  };
  const auto stack = [&](std::uint64_t bytes, const std::string& file, std::uint32_t line) {
    return analyzer::ReportStack{
        .bytes = bytes,
        .blocks = 1,
        .frames = {native("calloc"), python("f.<locals>.<lambda>", file, line),
                   python("<module>", file, line + 9), native("Py_RunMain")}};
  };
  analyzer::Report before;
  before.live_stacks = {stack(100, "/a/load.py", 3), stack(50, "/a/save.py", 3)};
  analyzer::Report after;
  after.live_stacks = {stack(130, "/b/load.py", 12), stack(50, "/b/save.py", 3)};
  const auto stored =
      analyzer::parse_baseline(analyzer::baseline_json(analyzer::make_baseline(before)), "B.json");
  REQUIRE(stored.ok());

  const auto excess = analyzer::grown_stacks({}, after, stored.value());

  REQUIRE(stored.value().stacks.size() == 2);
  REQUIRE(excess.stacks.size() == 1);
  CHECK(excess.stacks[0].before_bytes == 100);
  CHECK(excess.stacks[0].bytes == 130);
  CHECK(excess.stacks[0].frames.at(1).line == 12);
}

TEST_CASE("the stacks of a lane are those of its own highest instant", "[gate]") {
  TraceBuilder trace;
  append_two_lanes(trace);
  auto loaded = trace.open();

  const auto anon = decided(loaded, lane_budget(Gauge::kAnon, "1")).stacks;
  const auto peak = decided(loaded, budget("1")).stacks;

  CHECK_FALSE(anon.grown);
  REQUIRE(anon.stacks.size() == 1);
  CHECK(anon.stacks[0].frames.at(1).function == "second");
  REQUIRE(peak.stacks.size() == 1);
  CHECK(peak.stacks[0].frames.at(1).function == "first");
}

TEST_CASE("the stacks of a phase are those of its own highest instant", "[gate]") {
  TraceBuilder trace;
  trace.release(trace.allocate(70, trace.stack({"malloc", "outside"})));
  trace.begin_phase("read");
  trace.release(trace.allocate(70, trace.stack({"malloc", "inside"})));
  trace.end_phase("read");
  trace.allocate(500, trace.stack({"malloc", "later"}));

  const auto stacks = decided(trace, phase_budget("read", "10")).stacks.stacks;

  REQUIRE(stacks.size() == 1);
  CHECK(stacks[0].frames.at(1).function == "inside");
}
