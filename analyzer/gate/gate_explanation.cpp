#include "analyzer/gate/gate.hpp"
#include "analyzer/report/anatomy_text.hpp"
#include "analyzer/report/report_text.hpp"

#include <utility>

namespace tidemark::analyzer {
namespace {

/// What a file and a web page show.
constexpr TextStyle kCurveStyle{.width = 80, .colour = false, .utf8 = true};

/// What was refused is said of the program, not of its peak.
const Finding* first_finding(const Report& report) {
  for (const Finding& finding : report.anatomy.findings) {
    if (finding.kind != FindingKind::kRefused) {
      return &finding;
    }
  }
  return nullptr;
}

}  // namespace

void explain(GateResult& gate, const Report& report) {
  gate.why.clear();
  if (const Finding* const finding = first_finding(report)) {
    gate.why = {finding_text(report, *finding), advice_text(report, *finding)};
  } else if (std::string unexplained = unexplained_text(report); !unexplained.empty()) {
    gate.why.push_back(std::move(unexplained));
    for (const PeakGroup& group : report.anatomy.groups) {
      gate.why.push_back(group_text(report, group));
    }
  }
  std::erase(gate.why, std::string());
  gate.curve = report.timeline.empty() ? std::string() : footprint_curve(report, kCurveStyle);
}

}  // namespace tidemark::analyzer
