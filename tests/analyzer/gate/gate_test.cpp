#include "analyzer/gate/gate.hpp"

#include "analyzer/gate/gate_bounds.hpp"
#include "tests/analyzer/gate/gate_decisions.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::Check;
using analyzer::Gauge;
using analyzer::Verdict;
using tests::append_two_lanes;
using tests::budget;
using tests::decided;
using tests::lane_budget;
using tests::phase_budget;
using tests::refusal;
using tests::TraceBuilder;

namespace {

std::vector<std::string> notes_of(analyzer::LoadedTrace& trace, const std::vector<Check>& checks) {
  const auto gate = analyzer::run_gate(trace, checks, {});
  REQUIRE(gate.ok());
  return gate.value().notes;
}

}  // namespace

TEST_CASE("a peak equal to its budget passes, one byte more is a regression", "[gate]") {
  TraceBuilder trace;
  trace.allocate(1000);
  auto loaded = trace.open();

  CHECK(decided(loaded, budget("1000")).verdict == Verdict::kPass);
  const auto above = decided(loaded, budget("999"));
  CHECK(above.verdict == Verdict::kRegression);
  CHECK(above.measured_bytes == 1000U);
  CHECK(above.excess_bytes() == 1);
  CHECK(decided(loaded, budget("0")).verdict == Verdict::kRegression);
}

TEST_CASE("a ratio is a multiple of the model, and equal to it passes", "[gate]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  const auto peak = decided(loaded, budget("1TiB")).measured_bytes.value();

  CHECK(decided(loaded, budget("2.1xW")).verdict == Verdict::kPass);
  CHECK(decided(loaded, budget("1.99xW")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, budget("1xW"), std::to_string(peak)).verdict == Verdict::kPass);
  CHECK(decided(loaded, budget("1xW"), std::to_string(peak - 1)).verdict == Verdict::kRegression);
}

TEST_CASE("a budget in W without a known W is refused", "[gate]") {
  TraceBuilder trace;
  trace.allocate(1000);

  CHECK_THAT(refusal(trace, budget("1.1xW")), Catch::Contains("give --model"));
}

TEST_CASE("a budget in W names the weights that were read in part", "[gate]") {
  TraceBuilder trace;
  trace.read(trace.file("/m/tvm.params", 40 << 20), 18 << 20);

  CHECK(refusal(trace, budget("1.1xW")) ==
        "check 'the check': '1.1xW' needs the model's size: tvm.params was read to 45 % only, so "
        "it is not taken for the model; --model /m/tvm.params says that it is");
}

TEST_CASE("each lane has its own highest value", "[gate]") {
  TraceBuilder trace;
  append_two_lanes(trace);
  trace.map(trace.file("/lib/libc.so", 5000, true), 5000);
  trace.allocate(7, trace::kNoStack, trace::Lane::kDevice);
  auto loaded = trace.open();

  CHECK(decided(loaded, lane_budget(Gauge::kHeap, "1")).measured_bytes == 100U);
  CHECK(decided(loaded, lane_budget(Gauge::kAnon, "1")).measured_bytes == 20U);
  CHECK(decided(loaded, lane_budget(Gauge::kFile, "1")).measured_bytes == 5000U);
  CHECK(decided(loaded, lane_budget(Gauge::kDevice, "1")).measured_bytes == 7U);
  CHECK(decided(loaded, lane_budget(Gauge::kFootprint, "1")).measured_bytes == 100U);
}

TEST_CASE("the sampled lanes are checked by name", "[gate]") {
  TraceBuilder trace;
  trace.sample(300, 40);
  auto loaded = trace.open();

  CHECK(decided(loaded, lane_budget(Gauge::kRss, "340")).verdict == Verdict::kPass);
  CHECK(decided(loaded, lane_budget(Gauge::kRssAnon, "299")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, lane_budget(Gauge::kRssFile, "39")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, lane_budget(Gauge::kRssShmem, "0")).verdict == Verdict::kPass);
}

TEST_CASE("resident memory that nobody sampled is inconclusive, not nothing", "[gate]") {
  TraceBuilder trace;
  trace.allocate(10);

  const auto result = decided(trace, lane_budget(Gauge::kRss, "1GiB"));

  CHECK(result.verdict == Verdict::kInconclusive);
  CHECK(result.reason == "resident memory was not sampled");
}

TEST_CASE("the highest of the phases of one name counts", "[gate]") {
  TraceBuilder trace;
  for (const unsigned bytes : {50U, 70U, 30U}) {
    trace.begin_phase("tensor");
    trace.release(trace.allocate(bytes));
    trace.end_phase("tensor");
  }
  trace.allocate(500);
  auto loaded = trace.open();

  CHECK(decided(loaded, phase_budget("tensor", "70")).verdict == Verdict::kPass);
  CHECK(decided(loaded, phase_budget("tensor", "69")).measured_bytes == 70U);
}

TEST_CASE("a phase that the trace does not have is refused with those that it has", "[gate]") {
  TraceBuilder trace;
  trace.begin_phase("read");
  trace.allocate(1);
  trace.end_phase("read");

  CHECK(refusal(trace, phase_budget("raed", "1GiB")) ==
        "check 'the check': the trace has no phase 'raed'; it has: read");
}

TEST_CASE("a regression outweighs an inconclusive check, and that a pass", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.sample(300);
  trace.session.loss.records_dropped = 1;
  auto loaded = trace.open();
  const Check passes = lane_budget(Gauge::kRss, "1GiB");
  const Check unsure = budget("1GiB");
  const Check fails = budget("1");
  const auto verdict_of = [&](const std::vector<Check>& checks) {
    const auto gate = analyzer::run_gate(loaded, checks, {});
    REQUIRE(gate.ok());
    return gate.value().verdict();
  };

  CHECK(verdict_of({passes}) == Verdict::kPass);
  CHECK(verdict_of({passes, unsure}) == Verdict::kInconclusive);
  CHECK(verdict_of({unsure, fails, passes}) == Verdict::kRegression);
}

TEST_CASE("what holds for all checks is said once", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.session.exit_status = 137;
  trace.session.loss.records_dropped = 17;
  auto loaded = trace.open();

  CHECK(notes_of(loaded, {budget("1")}) ==
        std::vector<std::string>{"missing from the trace: 17 dropped records",
                                 "SIGKILL (Killed) ended the program: the load may be incomplete"});
}

TEST_CASE("a load that a signal cut short passes nothing, and fails what it exceeds", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.sample(300);
  trace.session.exit_status = 139;
  auto loaded = trace.open();

  const auto below = decided(loaded, budget("100"));
  CHECK(below.verdict == Verdict::kInconclusive);
  CHECK(below.reason == "SIGSEGV ended the program");
  CHECK(decided(loaded, lane_budget(Gauge::kRss, "300")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, phase_budget("never begun", "1")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  Check allowed = budget("100");
  allowed.allow_loss = true;
  CHECK(decided(loaded, allowed).verdict == Verdict::kPass);
}

TEST_CASE("a program that ended with a status of its own can pass", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.session.exit_status = GENERATE(1, 128, 255);
  auto loaded = trace.open();

  CHECK(decided(loaded, budget("100")).verdict == Verdict::kPass);
}

TEST_CASE("a load that failed for want of memory passes nothing", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.fail(4096);
  trace.session.exit_status = 1;
  auto loaded = trace.open();

  const auto below = decided(loaded, budget("100"));
  CHECK(below.verdict == Verdict::kInconclusive);
  CHECK(below.reason == "4.00 KiB were refused, and the program ended with status 1");
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
}

TEST_CASE("what was refused long before the end, or as a mapping of a file, is no reason",
          "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.fail(4096);
  trace.at_ms(60'000).allocate(1);
  const bool is_file = GENERATE(false, true);
  if (is_file) {
    trace.fail(4096, trace::kNoStack, trace::Lane::kFile);
  }
  trace.session.exit_status = 1;
  auto loaded = trace.open();

  CHECK(decided(loaded, budget("101")).verdict == Verdict::kPass);
}

TEST_CASE("private memory that is in no lane is told beside a pass of the footprint", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.sample((64U << 20U) + 100);
  auto edge = trace.open();
  CHECK(notes_of(edge, {budget("1GiB")}).empty());

  TraceBuilder more;
  more.allocate(100);
  more.sample((200U << 20U) + 100);
  auto loaded = more.open();
  const std::vector<std::string> told{
      "200.0 MiB of private memory is not in this peak, as 200.0 MiB was resident: it had been "
      "freed and stayed resident, or is not attributed to any tracked allocation"};
  CHECK(notes_of(loaded, {budget("1GiB")}) == told);
  CHECK(notes_of(loaded, {lane_budget(Gauge::kHeap, "1"), budget("1GiB")}) == told);
  CHECK(notes_of(loaded, {budget("1")}).empty());
  CHECK(notes_of(loaded, {lane_budget(Gauge::kHeap, "1GiB")}).empty());
  CHECK(notes_of(loaded, {lane_budget(Gauge::kRss, "1GiB")}).empty());
}

TEST_CASE("as much private memory as a check leaves slack for is not told", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.sample((200U << 20U) + 100);
  analyzer::Baseline baseline;
  baseline.footprint_bytes = 100;
  auto reference = tests::reference_to(baseline);
  auto loaded = trace.open();
  reference.slack_bytes = std::uint64_t{200} << 20U;
  CHECK(notes_of(loaded, {tests::against(reference)}).empty());
  reference.slack_bytes -= 1;
  CHECK(notes_of(loaded, {tests::against(reference)}).size() == 1);
}

TEST_CASE("bounds read as people write them", "[gate]") {
  CHECK(analyzer::size_budget("1.2xW").ok());
  CHECK(analyzer::size_budget("600 MiB").ok());
  CHECK(analyzer::ratio_budget("1.1").value().size == "1.1xW");
  CHECK(analyzer::ratio_budget("1.1x").value().size == "1.1xW");
  CHECK(analyzer::ratio_budget("1.1xW").value().size == "1.1xW");
  CHECK(analyzer::parse_percent("2.5%").value() == 2.5);
  CHECK(analyzer::parse_percent("0").value() == 0);
  CHECK(analyzer::parse_lane("rss_anon").value() == Gauge::kRssAnon);
}

TEST_CASE("what is no bound is refused", "[gate]") {
  for (const char* text :
       {"", "nan", "-1", "-5MiB", "inf", "1e400", "many", "5 furlongs", "NaNxW"}) {
    CAPTURE(text);
    CHECK_FALSE(analyzer::size_budget(text).ok());
    CHECK_FALSE(analyzer::ratio_budget(text).ok());
    CHECK_FALSE(analyzer::parse_percent(text).ok());
    CHECK_FALSE(analyzer::parse_lane(text).ok());
  }
  CHECK_FALSE(analyzer::ratio_budget("2GiB").ok());
  CHECK_FALSE(analyzer::parse_percent("2MiB").ok());
  CHECK_THAT(analyzer::parse_lane("stack").error().message,
             Catch::Contains("footprint, heap, anon"));
}
