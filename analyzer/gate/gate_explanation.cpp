#include "analyzer/gate/gate.hpp"
#include "analyzer/report/report_text.hpp"

namespace tidemark::analyzer {
namespace {

/// What a file and a web page show.
constexpr TextStyle kCurveStyle{.width = 80, .colour = false, .utf8 = true};

}  // namespace

void explain(GateResult& gate, const Report& report) {
  gate.why = why_sentences(report, false);
  gate.curve = report.timeline.empty() ? std::string() : footprint_curve(report, kCurveStyle);
}

}  // namespace tidemark::analyzer
