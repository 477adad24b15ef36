// Reports, diffs and verdicts of recordings in which only some of the small blocks have stacks.
#include "analyzer/report/facts/sampled_stacks.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/gate/gate.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

constexpr std::uint64_t kSample = 64 << 10U;

/// 1,000 blocks of 4,000 bytes of `load`, of which every 16th was sampled, 100 of 1,000 bytes of
/// `parse`, none of which was, and one large block of `load`.
void append_sampled_load(TraceBuilder& trace) {
  trace.session.sample_bytes = kSample;
  const auto unsampled = trace.stack({trace::kUnsampledStackName});
  const auto load = trace.stack({"malloc", "load loader.cpp:40", "main"});
  for (int i = 0; i < 1000; ++i) {
    trace.allocate(4000, i % 16 == 0 ? load : unsampled);
  }
  for (int i = 0; i < 100; ++i) {
    trace.allocate(1000, unsampled);
  }
  trace.allocate(1 << 20U, load);
}

/// The same program, each block with its stack.
void append_whole_load(TraceBuilder& trace) {
  const auto load = trace.stack({"malloc", "load loader.cpp:40", "main"});
  const auto parse = trace.stack({"malloc", "parse loader.cpp:60", "main"});
  for (int i = 0; i < 1000; ++i) {
    trace.allocate(4000, load);
  }
  for (int i = 0; i < 100; ++i) {
    trace.allocate(1000, parse);
  }
  trace.allocate(1 << 20U, load);
}

analyzer::Report report_of(TraceBuilder& trace) {
  auto loaded = trace.open();
  auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  return std::move(report.value());
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("small blocks are counted exactly, and their functions estimated", "[sampling]") {
  TraceBuilder trace;
  append_sampled_load(trace);

  const auto sampled = report_of(trace).sampled;

  CHECK(sampled.sample_bytes == kSample);
  CHECK(sampled.small_blocks == 1100);
  CHECK(sampled.small_bytes == 4'100'000);
  CHECK(sampled.blocks == 63);
  CHECK(sampled.bytes == 63 * 4000);
  REQUIRE(sampled.functions.size() == 1);
  CHECK(sampled.functions[0].asking.function == "load");
  CHECK(sampled.functions[0].blocks == 63);
  // Each stands for 1 / 0.0592 blocks.
  CHECK(sampled.functions[0].all.bytes == Approx(63 * 4000 / 0.05921).epsilon(0.001));
  CHECK(sampled.all.bytes == sampled.functions[0].all.bytes);
  CHECK(sampled.all.error_bytes == sampled.functions[0].all.error_bytes);
}

TEST_CASE("rows by stack add up exactly, with one for what has no stack", "[sampling]") {
  TraceBuilder trace;
  append_sampled_load(trace);

  const auto report = report_of(trace);

  CHECK(report.peak.footprint_bytes == 4'100'000 + (1 << 20U));
  REQUIRE(report.live_stacks.size() == 2);
  CHECK(report.live_stacks[0].frames.front().function == trace::kUnsampledStackName);
  CHECK(report.live_stacks[0].bytes == 937 * 4000 + 100 * 1000);
  CHECK(report.live_stacks[1].bytes == (1 << 20U) + 63 * 4000);
  CHECK(report.unattributed_bytes == 0);
}

TEST_CASE("every format says that stacks were sampled, and with which error", "[sampling]") {
  TraceBuilder trace;
  append_sampled_load(trace);
  const auto report = report_of(trace);
  const std::string warning = "Stacks were sampled (--sample 64.0 KiB)";

  CHECK(has(analyzer::warnings_of(report).at(0), warning));
  for (const std::string& text :
       {analyzer::report_text(report, {.width = 200}), analyzer::report_markdown(report)}) {
    CAPTURE(text);
    CHECK(has(text, warning));
    CHECK(has(text, "of the 1,100 smaller ones at the peak, 3.91 MiB, 63 have, 1 in 17"));
    CHECK(has(text, "4.06 MiB"));
    CHECK(has(text, "1015.8 KiB"));
    CHECK(has(text, "all functions; 3.91 MiB were counted"));
    CHECK(has(text, "held less than 192.0 KiB in such blocks"));
  }
  const auto document = nlohmann::json::parse(analyzer::report_json(report)).at("sampling");
  CHECK(document.at("small_bytes") == 4'100'000);
  CHECK(document.at("functions").at(0).at("function") == "load");
  CHECK(document.at("functions").at(0).at("estimate").at("bytes") == report.sampled.all.bytes);
  CHECK(document.at("functions").at(0).at("estimate").at("error_bytes") ==
        report.sampled.all.error_bytes);
}

TEST_CASE("the report of a recording with sampled stacks reads as agreed", "[sampling]") {
  TraceBuilder trace;
  append_sampled_load(trace);
  const auto report = report_of(trace);

  tests::check_golden("sampled.json", analyzer::report_json(report));
  tests::check_golden("sampled.txt", analyzer::report_text(report, {}));
}

TEST_CASE("where every block has its stack there is not a word of samples", "[sampling]") {
  TraceBuilder trace;
  append_whole_load(trace);
  const auto report = report_of(trace);

  CHECK(report.sampled.sample_bytes == 0);
  CHECK_FALSE(has(analyzer::report_text(report, {}), "sampled ("));
  CHECK_FALSE(nlohmann::json::parse(analyzer::report_json(report)).contains("sampling"));
}

TEST_CASE("a trace that says it was sampled need not define the stack that says so", "[sampling]") {
  TraceBuilder trace;
  trace.session.sample_bytes = kSample;
  trace.allocate(100);
  auto loaded = trace.open();
  REQUIRE(loaded.definitions().stacks.size() == 1);
  analyzer::ReportOptions options;
  options.certain_stacks = true;

  const auto report = analyzer::build_report(loaded, options);

  REQUIRE(report.ok());
  REQUIRE(report.value().live_stacks.size() == 1);
  CHECK(report.value().live_stacks[0].frames.empty());
  CHECK(report.value().live_stacks[0].bytes == 100);
  // Its one block has a stack that is none: it counts as sampled, by a function that is not known.
  CHECK(report.value().sampled.functions.size() == 1);
  CHECK(has(analyzer::report_text(report.value(), {}), "[unknown stack]"));
}

TEST_CASE("a diff with another sample says which rows cannot be compared", "[sampling][diff]") {
  TraceBuilder before;
  append_whole_load(before);
  TraceBuilder after;
  append_sampled_load(after);
  auto opened_before = before.open();
  auto opened_after = after.open();
  const auto diff = analyzer::build_diff(opened_before, opened_after, {});
  REQUIRE(diff.ok());

  const auto warnings = analyzer::warnings_of(diff.value());

  REQUIRE(warnings.size() == 2);
  CHECK(has(warnings[0], "after: Stacks were sampled"));
  CHECK(has(warnings[1], "heap blocks below 64.0 KiB"));
  CHECK(diff.value().peak_change_bytes() == 0);
}

TEST_CASE("two samples of one program are no change", "[sampling][diff]") {
  TraceBuilder before;
  append_sampled_load(before);
  TraceBuilder after;
  after.session.sample_bytes = kSample;
  const auto unsampled = after.stack({trace::kUnsampledStackName});
  const auto load = after.stack({"malloc", "load loader.cpp:40", "main"});
  const auto parse = after.stack({"malloc", "parse loader.cpp:60", "main"});
  for (int i = 0; i < 1000; ++i) {
    after.allocate(4000, i % 20 == 7 ? load : unsampled);
  }
  for (int i = 0; i < 100; ++i) {
    after.allocate(1000, i == 50 ? parse : unsampled);
  }
  after.allocate(1 << 20U, load);
  auto opened_before = before.open();
  auto opened_after = after.open();
  const auto diff = analyzer::build_diff(opened_before, opened_after, {});
  REQUIRE(diff.ok());

  CHECK(diff.value().stacks.empty());
  CHECK(diff.value().unchanged.before_bytes == 4'100'000 + (1 << 20U));
}

TEST_CASE("a limit of totals holds for sampled stacks as ever", "[sampling][gate]") {
  TraceBuilder trace;
  append_sampled_load(trace);
  auto loaded = trace.open();
  const auto gate = [&](const std::string& size) {
    auto result = analyzer::run_gate(
        loaded, {{.name = "peak", .subject = {}, .bound = analyzer::Budget{size}}}, {});
    REQUIRE(result.ok());
    return std::move(result.value());
  };

  CHECK(gate("5MiB").verdict() == analyzer::Verdict::kPass);
  CHECK(gate("5MiB").notes.empty());
  const auto regression = gate("4MiB");
  CHECK(regression.verdict() == analyzer::Verdict::kRegression);
  REQUIRE(regression.notes.size() == 1);
  CHECK(has(regression.notes[0], "stacks were sampled (--sample 64.0 KiB)"));
  // No function stands for the blocks alone that were sampled.
  const auto& stacks = regression.checks[0].stacks.stacks;
  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0].bytes == 4'100'000);
  CHECK(stacks[1].bytes == 1 << 20U);
}

TEST_CASE("against a baseline with sampled stacks a check says what is not comparable",
          "[sampling][gate]") {
  TraceBuilder sampled;
  append_sampled_load(sampled);
  auto before = sampled.open();
  const auto report = analyzer::build_report(before, analyzer::comparison_options({}));
  REQUIRE(report.ok());
  auto baseline = std::make_shared<analyzer::Baseline>(analyzer::make_baseline(report.value()));
  baseline->footprint_bytes = 4 << 20U;
  TraceBuilder whole;
  append_whole_load(whole);
  auto now = whole.open();

  const auto gate = analyzer::run_gate(
      now,
      {{.name = "as before", .subject = {}, .bound = analyzer::Reference{baseline, "before.json"}}},
      {});

  REQUIRE(gate.ok());
  CHECK(gate.value().verdict() == analyzer::Verdict::kRegression);
  REQUIRE(gate.value().notes.size() == 1);
  CHECK(has(gate.value().notes[0], "the baseline's stacks were sampled"));
}
