#include "analyzer/gate.hpp"

#include "analyzer/gate_bounds.hpp"
#include "tests/analyzer/sample_loads.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace tidemark;
using analyzer::Budget;
using analyzer::Check;
using analyzer::CheckResult;
using analyzer::GateResult;
using analyzer::Gauge;
using analyzer::Verdict;
using tests::TraceBuilder;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

Check budget(const std::string& size, analyzer::Subject subject = {}) {
  return {.name = "the check", .subject = std::move(subject), .bound = Budget{size}};
}

Check lane_budget(Gauge gauge, const std::string& size) {
  return budget(size, {.gauge = gauge, .phase = {}});
}

Check phase_budget(const std::string& phase, const std::string& size) {
  return budget(size, {.phase = phase});
}

analyzer::Baseline baseline_of(TraceBuilder& trace, const std::string& model = {}) {
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {.at_ns = {}, .top = 0, .model = model});
  REQUIRE(report.ok());
  return analyzer::make_baseline(report.value());
}

analyzer::Reference reference_to(analyzer::Baseline baseline) {
  analyzer::Reference reference;
  reference.file = "B.json";
  reference.baseline = std::make_shared<const analyzer::Baseline>(std::move(baseline));
  reference.slack_bytes = 0;
  return reference;
}

Check against(analyzer::Reference reference, analyzer::Subject subject = {}) {
  return {.name = "the check", .subject = std::move(subject), .bound = std::move(reference)};
}

CheckResult decided(analyzer::LoadedTrace& trace,
                    const Check& check,
                    const std::string& model = {}) {
  const auto gate = analyzer::run_gate(trace, {check}, model);
  INFO((gate.ok() ? std::string() : gate.error().message));
  REQUIRE(gate.ok());
  return gate.value().checks.front();
}

CheckResult decided(TraceBuilder& trace, const Check& check, const std::string& model = {}) {
  auto loaded = trace.open();
  return decided(loaded, check, model);
}

std::string refusal(TraceBuilder& trace, const Check& check) {
  auto loaded = trace.open();
  const auto gate = analyzer::run_gate(loaded, {check}, {});
  REQUIRE_FALSE(gate.ok());
  CHECK(gate.error().code == ErrorCode::kUsage);
  return gate.error().message;
}

/// Holds 100 bytes of heap and 20 of anonymous memory, at different times.
void append_two_lanes(TraceBuilder& trace) {
  const auto first = trace.allocate(100, trace.stack({"malloc", "first a.cpp:1", "main"}));
  trace.release(first);
  trace.allocate(20, trace.stack({"mmap", "second a.cpp:2", "main"}), trace::Lane::kAnon);
}

/// Two event blocks; the second one has the peak.
void append_two_blocks(TraceBuilder& trace) {
  trace.allocate(10, trace.stack({"malloc", "early"}));
  trace.flush();
  trace.at_ms(1).begin_phase("late");
  trace.allocate(90, trace.stack({"malloc", "late"}));
  trace.end_phase("late");
  trace.flush();
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the gate says of a file that was damaged; none when it is refused as no trace.
std::optional<Verdict> verdict_of_bytes(const std::string& path,
                                        const std::string& bytes,
                                        const std::string& size) {
  std::ofstream(path, std::ios::binary) << bytes;
  auto loaded = analyzer::LoadedTrace::open(path);
  if (!loaded.ok()) {
    return std::nullopt;
  }
  return decided(loaded.value(), budget(size)).verdict;
}

/// Breaks the payload of event block `number`, and leaves its header, so its summary, alone.
analyzer::LoadedTrace with_damaged_block(TraceBuilder& trace, std::size_t number) {
  const std::string path = trace.finish();
  const std::string bytes = bytes_of(path);
  // Every byte is tried until the reader says that it is this block that cannot be decoded.
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    std::ofstream(path, std::ios::binary) << damaged;
    auto loaded = analyzer::LoadedTrace::open(path);
    if (!loaded.ok() || loaded.value().blocks().size() != 2 ||
        loaded.value().loss().blocks_damaged != 0 || !loaded.value().definitions().session.ended ||
        loaded.value().digest(number) != nullptr || loaded.value().events(number) != nullptr ||
        loaded.value().events(1 - number) == nullptr) {
      continue;
    }
    return std::move(loaded.value());
  }
  FAIL("no byte damages block " << number << " alone");
  return trace.break_off();
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

TEST_CASE("every kind of loss that can hold a higher peak makes a pass inconclusive", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace::Loss& loss = trace.session.loss;
  const std::vector<std::pair<std::uint64_t*, std::string>> kinds{
      {&loss.records_dropped, "3 dropped records are missing"},
      {&loss.events_unwritten, "3 events that did not fit the disk are missing"},
      {&loss.processes_unrecorded, "3 whole processes are missing"},
      {&loss.threads_unrecorded, "3 whole threads are missing"}};
  const auto kind = GENERATE(range(0, 4));
  *kinds.at(static_cast<std::size_t>(kind)).first = 3;
  CAPTURE(kind);
  auto loaded = trace.open();

  const auto below = decided(loaded, budget("1000"));
  CHECK(below.verdict == Verdict::kInconclusive);
  CHECK(below.reason == kinds.at(static_cast<std::size_t>(kind)).second);
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  Check allowed = budget("1000");
  allowed.allow_loss = true;
  CHECK(decided(loaded, allowed).verdict == Verdict::kPass);
}

TEST_CASE("a torn trace is inconclusive below its budget and a regression above it", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  auto loaded = trace.break_off();

  CHECK(decided(loaded, budget("100")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("100")).reason == "the end of the recording is missing");
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, phase_budget("never begun", "1")).verdict == Verdict::kInconclusive);
}

TEST_CASE("loss that adds no bytes leaves a pass a pass", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.session.loss.stacks_truncated = 5;
  trace.session.loss.blocks_unknown = 1;
  trace.session.loss.events_unknown = 9;
  trace.session.unmatched_releases = 7;

  CHECK(decided(trace, budget("100")).verdict == Verdict::kPass);
}

TEST_CASE("a damaged block hides no peak while its summary stands", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  auto loaded = with_damaged_block(trace, 1);

  CHECK(decided(loaded, budget("100")).verdict == Verdict::kPass);
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, lane_budget(Gauge::kHeap, "100")).verdict == Verdict::kPass);
  REQUIRE(loaded.loss().blocks_damaged == 1);
}

TEST_CASE("no flipped byte makes a pass of a regression", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  const std::string path = trace.finish();
  const std::string whole = bytes_of(path);
  REQUIRE(verdict_of_bytes(path, whole, "99") == Verdict::kRegression);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);

    CHECK(verdict_of_bytes(path, damaged, "99") != Verdict::kPass);
  }
}

TEST_CASE("no cut makes a pass of a regression", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  const std::string path = trace.finish();
  const std::string whole = bytes_of(path);
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    CAPTURE(kept);
    CHECK(verdict_of_bytes(path, whole.substr(0, kept), "99") != Verdict::kPass);
  }
}

TEST_CASE("a block that is gone with its summary makes a pass inconclusive", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  const std::string path = trace.finish();
  std::string whole = bytes_of(path);
  // Without its footer the index is made anew from the blocks, those whose headers are intact.
  whole.replace(whole.size() - 16, 16, 16, '\0');
  std::size_t gone = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(path, std::ios::binary) << damaged;
    auto loaded = analyzer::LoadedTrace::open(path);
    if (loaded.ok() && loaded.value().blocks().size() == 1) {
      ++gone;
      CHECK(decided(loaded.value(), budget("100")).verdict == Verdict::kInconclusive);
    }
  }
  CHECK(gone > 0);
}

TEST_CASE("a damaged block can have held a phase, or the reads that W was found by", "[gate]") {
  TraceBuilder trace;
  trace.read(trace.file("/m/model.params", 2 * kMiB), 2 * kMiB);
  append_two_blocks(trace);
  auto loaded = with_damaged_block(trace, 1);

  const auto phase = decided(loaded, phase_budget("late", "1GiB"));
  CHECK(phase.verdict == Verdict::kInconclusive);
  CHECK(phase.reason ==
        "a damaged part of the file may hold marks of the phase, and with it the phase");
  CHECK_FALSE(phase.measured_bytes.has_value());
  CHECK(decided(loaded, budget("1xW")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("1xW"), "2MiB").verdict == Verdict::kPass);
  CHECK(decided(loaded, budget("100")).verdict == Verdict::kPass);
}

TEST_CASE("dropped events change nothing in what was sampled", "[gate]") {
  TraceBuilder trace;
  trace.sample(300);
  trace.session.loss.records_dropped = 3;

  CHECK(decided(trace, lane_budget(Gauge::kRssAnon, "300")).verdict == Verdict::kPass);
}

TEST_CASE("a program with its own malloc can pass in every lane but the heap's", "[gate]") {
  TraceBuilder trace;
  trace.allocate(20, trace::kNoStack, trace::Lane::kAnon);
  trace.session.heap_invisible = true;
  auto loaded = trace.open();

  CHECK(decided(loaded, lane_budget(Gauge::kAnon, "20")).verdict == Verdict::kPass);
  CHECK(decided(loaded, lane_budget(Gauge::kHeap, "20")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("20")).verdict == Verdict::kInconclusive);
}

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
  CHECK(smaller.reason == "the model is 4.0 MiB, the baseline's was 8.0 MiB");
  CHECK(verdict_with({}, kMiB).reason == "no model was found, the baseline's was 8.0 MiB");
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

  const auto gate = analyzer::run_gate(loaded, {budget("1")}, {});

  REQUIRE(gate.ok());
  CHECK(gate.value().notes ==
        std::vector<std::string>{
            "missing from the trace: 17 dropped records",
            "the program ended with status 137: its load may not have been whole"});
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
