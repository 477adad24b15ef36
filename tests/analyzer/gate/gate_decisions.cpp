#include "tests/analyzer/gate/gate_decisions.hpp"

#include "tests/support/catch.hpp"

#include <memory>
#include <utility>

namespace tidemark::tests {

using analyzer::Budget;
using analyzer::Check;
using analyzer::CheckResult;
using analyzer::Gauge;

Check budget(const std::string& size, analyzer::Subject subject) {
  return {.name = "the check", .subject = std::move(subject), .bound = Budget{size}};
}

Check lane_budget(Gauge gauge, const std::string& size) {
  return budget(size, {.gauge = gauge, .phase = {}});
}

Check phase_budget(const std::string& phase, const std::string& size) {
  return budget(size, {.phase = phase});
}

analyzer::Baseline baseline_of(TraceBuilder& trace, const std::string& model) {
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, analyzer::comparison_options(model));
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

Check against(analyzer::Reference reference, analyzer::Subject subject) {
  return {.name = "the check", .subject = std::move(subject), .bound = std::move(reference)};
}

CheckResult decided(analyzer::LoadedTrace& trace, const Check& check, const std::string& model) {
  const auto gate = analyzer::run_gate(trace, {check}, model);
  INFO((gate.ok() ? std::string() : gate.error().message));
  REQUIRE(gate.ok());
  return gate.value().checks.front();
}

CheckResult decided(TraceBuilder& trace, const Check& check, const std::string& model) {
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

void append_two_lanes(TraceBuilder& trace) {
  const auto first = trace.allocate(100, trace.stack({"malloc", "first a.cpp:1", "main"}));
  trace.release(first);
  trace.allocate(20, trace.stack({"mmap", "second a.cpp:2", "main"}), trace::Lane::kAnon);
}

}  // namespace tidemark::tests
