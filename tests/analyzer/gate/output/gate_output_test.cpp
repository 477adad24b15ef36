#include "analyzer/gate/output/gate_output.hpp"

#include "analyzer/report/anatomy/anatomy_markdown.hpp"
#include "analyzer/text/plot_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidemark;
using analyzer::Budget;
using analyzer::Check;
using analyzer::CheckResult;
using analyzer::GateResult;
using analyzer::Verdict;
using tests::TraceBuilder;

namespace {

constexpr analyzer::TextStyle kUtf8{.width = 80, .colour = false, .utf8 = true};

analyzer::Reference streamed_reference() {
  TraceBuilder trace;
  tests::append_streamed_load(trace);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, analyzer::comparison_options({}));
  REQUIRE(report.ok());
  analyzer::Reference reference;
  reference.baseline =
      std::make_shared<const analyzer::Baseline>(analyzer::make_baseline(report.value()));
  reference.file = "streamed.json";
  return reference;
}

/// The naive load against everything that it breaks and a budget that it keeps.
GateResult naive_gate() {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  std::vector<Check> checks{
      {.name = "no second copy", .subject = {}, .bound = Budget{"1.2xW"}},
      {.name = "phase read", .subject = {.phase = "read"}, .bound = Budget{"6GiB"}},
      {.name = "peak against baseline", .subject = {}, .bound = streamed_reference()}};
  auto gate = analyzer::run_gate(loaded, checks, {});
  REQUIRE(gate.ok());
  gate.value().trace = "naive.tmk";
  const auto report = analyzer::build_report(
      loaded, {.at_ns = {}, .top = 0, .model = {}, .columns = analyzer::plot_columns(kUtf8)});
  REQUIRE(report.ok());
  analyzer::explain(gate.value(), report.value());
  gate.value().page = "naive.report.html";
  gate.value().picture = "naive.graph.svg";
  return std::move(gate.value());
}

GateResult inconclusive_gate() {
  TraceBuilder trace;
  trace.allocate(1000);
  trace.session.loss.records_dropped = 17;
  auto loaded = trace.open();
  auto gate =
      analyzer::run_gate(loaded, {{.name = "peak", .subject = {}, .bound = Budget{"1MiB"}}}, {});
  REQUIRE(gate.ok());
  gate.value().trace = "lossy.tmk";
  return std::move(gate.value());
}

/// All that an escape could be needed for, in every text that somebody else wrote.
GateResult hostile_gate() {
  const std::string evil = "a<b>&\"'::],\n\r\t%|`\x01\xff\xc3\x28\xe2\x80\xa8 \xef\xbf\xbf]]>";
  analyzer::NamedFrame frame;
  frame.function = evil;
  frame.file = "/checkout/src,dir/ev:il.cpp";
  frame.line = 3;
  CheckResult result;
  result.check = {.name = evil, .subject = {.phase = evil}, .bound = Budget{"1"}};
  result.verdict = Verdict::kRegression;
  result.measured_bytes = 2;
  result.limit_bytes = 1;
  result.stacks.stacks.push_back({.bytes = 2, .blocks = 1, .frames = {frame}});
  return {.trace = evil,
          .model_bytes = 0,
          .checks = {result},
          .notes = {evil},
          .why = {{.text = evil}},
          .curve = {},
          .page = evil,
          .picture = {},
          .unmade = {evil}};
}

std::string whole_text(const GateResult& gate) {
  return analyzer::gate_text(gate, kUtf8) + analyzer::gate_explanation_text(gate, kUtf8);
}

}  // namespace

TEST_CASE("the gate's text reads as agreed", "[gate][output]") {
  tests::check_golden("gate-naive.txt", whole_text(naive_gate()));
  tests::check_golden("gate-lossy.txt", whole_text(inconclusive_gate()));
}

TEST_CASE("the gate says of a regression's peak what the report says", "[gate][output]") {
  tests::Load load;
  load.streamed_tensors();
  load.block("box", 3 * tests::kModelBytes);
  const auto buffer = load.block("estimate", 128 * tests::kMiB);
  for (const std::uint64_t after_ms : {10U, 300U, 700U}) {
    load.trace.look(buffer, load.now_ms() + after_ms, after_ms == 10 ? 0 : 64 * tests::kMiB);
  }
  load.wait_ms(1000);
  const analyzer::Report report = load.report();
  GateResult gate = inconclusive_gate();

  analyzer::explain(gate, report);

  REQUIRE(report.anatomy.findings.size() == 1);
  REQUIRE(report.anatomy.groups.size() == 3);
  std::string entries = analyzer::gate_explanation_text(gate, kUtf8);
  CHECK_THAT(entries, Catch::StartsWith("why the peak is as high:\n  - 64.0 MiB of the 128.0 MiB"));
  entries.erase(0, entries.find('\n'));
  const std::string in_report = analyzer::why_list(report, kUtf8);
  CHECK_THAT(in_report, Catch::Contains(entries + "  > tidemark explain"));
  CHECK_THAT(analyzer::gate_markdown(gate), Catch::Contains('\n' + analyzer::md_why(report)));
}

TEST_CASE("the gate's JUnit file reads as agreed", "[gate][output]") {
  tests::check_golden("gate-naive.xml", analyzer::gate_junit(naive_gate()));
  tests::check_golden("gate-lossy.xml", analyzer::gate_junit(inconclusive_gate()));
}

TEST_CASE("the gate's annotations read as agreed", "[gate][output]") {
  tests::check_golden("gate-annotations.txt",
                      analyzer::gate_annotations(naive_gate(), "/src") +
                          analyzer::gate_annotations(inconclusive_gate(), ""));
}

TEST_CASE("the gate's summary reads as agreed", "[gate][output]") {
  tests::check_golden("gate-naive.md", analyzer::gate_markdown(naive_gate()));
}

TEST_CASE("the gate's JSON reads as agreed", "[gate][output]") {
  tests::check_golden("gate-naive.json", analyzer::gate_json(naive_gate()));
}

TEST_CASE("a check's sentence says what is measured against what", "[gate][output]") {
  CheckResult result;
  result.check = {.name = "peak ratio", .subject = {}, .bound = Budget{"1.2xW"}};
  result.measured_bytes = 536'975'770;
  result.limit_bytes = 644'245'094;
  CHECK(analyzer::check_sentence(result) == "peak 512.1 MiB of at most 614.4 MiB (1.2xW)");

  result.check = {.name = "the arena", .subject = {}, .bound = Budget{"512.1MiB"}};
  result.verdict = Verdict::kRegression;
  result.limit_bytes = 536'975'769;
  CHECK(analyzer::check_sentence(result) ==
        "the arena: peak 512.1 MiB of at most 512.1 MiB: 1 B too much");
}

TEST_CASE("a baseline's allowance is said as what it comes from", "[gate][output]") {
  analyzer::Reference reference;
  reference.baseline = std::make_shared<const analyzer::Baseline>();
  reference.tolerance_percent = 2.5;
  CheckResult result;
  result.check = {.name = "peak against baseline", .subject = {}, .bound = reference};
  result.measured_bytes = 1;
  result.baseline_bytes = 1024;
  result.limit_bytes = 1024 + 65536;
  CHECK_THAT(analyzer::check_sentence(result), Catch::EndsWith("(baseline 1.00 KiB + 64.0 KiB)"));

  result.baseline_bytes = 100'000'000;
  result.limit_bytes = 102'500'000;
  CHECK_THAT(analyzer::check_sentence(result), Catch::EndsWith("(baseline 95.4 MiB + 2.5%)"));
}

TEST_CASE("nothing in a name breaks out of a JUnit file", "[gate][output]") {
  const std::string xml = analyzer::gate_junit(hostile_gate());

  CHECK(xml.find("a<b>") == std::string::npos);
  CHECK(xml.find("]]>") == std::string::npos);
  CHECK(xml.find('\x01') == std::string::npos);
  CHECK(xml.find('\xff') == std::string::npos);
  CHECK_THAT(xml, Catch::Contains("a&lt;b&gt;&amp;&quot;"));
}

TEST_CASE("nothing in a name ends an annotation early", "[gate][output]") {
  const std::string lines = analyzer::gate_annotations(hostile_gate(), "/checkout/");

  CHECK(std::count(lines.begin(), lines.end(), '\n') == 1);
  CHECK(lines.find('\r') == std::string::npos);
  CHECK_THAT(lines, Catch::Contains(",file=src%2Cdir/ev%3Ail.cpp,line=3::"));
  CHECK_THAT(lines, Catch::StartsWith("::error title=tidemark%3A a<b>&\"'%3A%3A]%2C???%25|`"));
}

TEST_CASE("nothing in a name becomes markup of a summary", "[gate][output]") {
  const std::string text = analyzer::gate_markdown(hostile_gate());

  CHECK_THAT(text, Catch::Contains("a&lt;b&gt;&amp;"));
  CHECK_THAT(text, Catch::Contains("%\\|\\`"));
}

TEST_CASE("the gate's JSON parses whatever the names hold", "[gate][output]") {
  const auto json = nlohmann::json::parse(analyzer::gate_json(hostile_gate()));

  CHECK(json.at("verdict") == "regression");
  CHECK(json.at("checks").at(0).at("excess_bytes") == 1);
}

TEST_CASE("escapes in names do not reach the terminal", "[gate][output]") {
  const std::string text = whole_text(hostile_gate());

  CHECK(text.find('\x01') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
}

TEST_CASE("the last line of the verdict is for all checks", "[gate][output]") {
  GateResult gate{.trace = "a.tmk",
                  .model_bytes = 0,
                  .checks = {},
                  .notes = {},
                  .why = {},
                  .curve = {},
                  .page = {},
                  .picture = {},
                  .unmade = {}};
  gate.checks.resize(3);
  CHECK(analyzer::gate_sentence(gate) == "3 checks pass");
  gate.checks.resize(1);
  CHECK(analyzer::gate_sentence(gate) == "1 check passes");
  gate.checks.resize(3);
  gate.checks[0].verdict = Verdict::kInconclusive;
  CHECK(analyzer::gate_sentence(gate) == "1 inconclusive in 3 checks");
  gate.checks[1].verdict = Verdict::kRegression;
  gate.checks[2].verdict = Verdict::kRegression;
  CHECK(analyzer::gate_sentence(gate) == "2 regressions, 1 inconclusive in 3 checks");
}
