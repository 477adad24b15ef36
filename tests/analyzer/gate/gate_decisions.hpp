/// Checks as the tests of the gate write them, and what it decides.
#pragma once

#include "analyzer/gate/baseline.hpp"
#include "analyzer/gate/gate.hpp"
#include "tests/analyzer/trace_builder.hpp"

#include <string>

namespace tidemark::tests {

analyzer::Check budget(const std::string& size, analyzer::Subject subject = {});
analyzer::Check lane_budget(analyzer::Gauge gauge, const std::string& size);
analyzer::Check phase_budget(const std::string& phase, const std::string& size);

/// What `tidemark baseline` would store of the trace.
analyzer::Baseline baseline_of(TraceBuilder& trace, const std::string& model = {});
/// Without slack.
analyzer::Reference reference_to(analyzer::Baseline baseline);
analyzer::Check against(analyzer::Reference reference, analyzer::Subject subject = {});

/// The result of one check, which must not be refused.
analyzer::CheckResult decided(analyzer::LoadedTrace& trace,
                              const analyzer::Check& check,
                              const std::string& model = {});
analyzer::CheckResult decided(TraceBuilder& trace,
                              const analyzer::Check& check,
                              const std::string& model = {});
/// The sentence by which a check is refused; it must be.
std::string refusal(TraceBuilder& trace, const analyzer::Check& check);

/// Holds 100 bytes of heap and 20 of anonymous memory, at different times.
void append_two_lanes(TraceBuilder& trace);

}  // namespace tidemark::tests
