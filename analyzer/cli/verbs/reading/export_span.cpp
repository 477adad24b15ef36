#include "analyzer/cli/verbs/reading/export_span.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/footprint/program_end.hpp"

#include <tuple>

namespace tidemark::cli {
namespace {

Error no_range(const std::string& text) {
  return {ErrorCode::kUsage,
          "--range '" + text + "' is no range; write it like 1.5s..3s, 2s.. or ..peak"};
}

Result<analyzer::Instant> instant_of(analyzer::LoadedTrace& trace,
                                     const std::string& option,
                                     const std::string& text) {
  if (text == "peak") {
    return analyzer::find_peak(trace).at;
  }
  if (text == "end") {
    return trace.instant_at(analyzer::program_end_ns(trace));
  }
  const auto ns = time_in_run(trace, option, text);
  if (!ns.ok()) {
    return ns.error();
  }
  return trace.instant_at(ns.value());
}

}  // namespace

Result<analyzer::Instant> export_instant(analyzer::LoadedTrace& trace, const std::string& text) {
  return instant_of(trace, "--at", text);
}

Result<ExportRange> export_range(analyzer::LoadedTrace& trace, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    return no_range(text);
  }
  const std::string begin = text.substr(0, dots);
  const std::string end = text.substr(dots + 2);
  ExportRange range{.from = {}, .to = trace.instant_at(trace.duration_ns())};
  if (!begin.empty()) {
    const auto from = instant_of(trace, "--range", begin);
    if (!from.ok()) {
      return from.error();
    }
    // From the very start means everything, events at time 0 included.
    range.from = from.value().at_ns == 0 ? analyzer::Instant{} : from.value();
  }
  if (!end.empty()) {
    const auto to = instant_of(trace, "--range", end);
    if (!to.ok()) {
      return to.error();
    }
    range.to = to.value();
  }
  const auto place = [](const analyzer::Instant& at) {
    return std::tuple(at.at_ns, at.block, at.events);
  };
  if (place(range.to) < place(range.from)) {
    return Error{ErrorCode::kUsage, "--range '" + text + "' ends before it begins"};
  }
  if (!begin.empty() && !end.empty() && range.to.at_ns == range.from.at_ns) {
    return Error{ErrorCode::kUsage,
                 "--range '" + text + "' is empty; for a single instant, take --at"};
  }
  return range;
}

Result<exports::TimeSpan> export_span(analyzer::LoadedTrace& trace, const std::string& text) {
  if (text.empty()) {
    return exports::TimeSpan{.begin_ns = 0, .end_ns = trace.duration_ns()};
  }
  const auto range = export_range(trace, text);
  if (!range.ok()) {
    return range.error();
  }
  return exports::TimeSpan{.begin_ns = range.value().from.at_ns, .end_ns = range.value().to.at_ns};
}

}  // namespace tidemark::cli
