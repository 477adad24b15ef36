#include "analyzer/report.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::analyzer {
namespace {

Status find_model(Report& report, const std::string& given) {
  report.model = find_model_bytes(report.files);
  if (!given.empty()) {
    auto model = given_model_bytes(given, report.files);
    if (!model.ok()) {
      return model.error();
    }
    report.model = model.value();
  } else if (!report.session.model.empty()) {
    auto model = given_model_bytes(report.session.model, report.files);
    if (model.ok()) {
      report.model = model.value();
    } else {
      report.model_note = model.error().message;
    }
  }
  return success();
}

std::vector<FileUse> model_files(const Report& report) {
  std::vector<FileUse> files;
  for (const std::size_t i : report.model.files) {
    files.push_back(report.files[i]);
  }
  return files;
}

void find_peak_phase(Report& report, LoadedTrace& trace) {
  const std::uint64_t after = trace.ordinal(report.peak.at);
  const auto event = trace.event_before(report.peak.at);
  const Phase* phase = phase_at(report.phases, report.peak.at.at_ns, after == 0 ? 0 : after - 1,
                                event ? event->thread : trace::ThreadId{0});
  if (phase != nullptr) {
    report.peak_phase = *phase;
  }
}

/// Two stacks read the same when all their frames do: the same line may call from several
/// addresses.
std::string text_of(const std::vector<NamedFrame>& frames, trace::Lane lane) {
  std::string text(1, static_cast<char>('0' + static_cast<int>(lane)));
  for (const NamedFrame& frame : frames) {
    text += '\n' + frame.function + '\t' + frame.file + ':' + std::to_string(frame.line);
  }
  return text;
}

std::vector<ReportStack> merged_stacks(const LiveSet& live, const trace::Definitions& definitions) {
  std::map<std::string, std::size_t> by_text;
  std::vector<ReportStack> merged;
  for (const LiveStack& stack : live.stacks) {
    if (stack.lane == trace::Lane::kFile || stack.bytes == 0) {
      continue;  // File mappings are no part of the footprint that this list explains.
    }
    auto frames = named_stack(definitions, stack.stack);
    const auto [entry, is_new] = by_text.try_emplace(text_of(frames, stack.lane), merged.size());
    if (is_new) {
      merged.push_back({.lane = stack.lane, .frames = std::move(frames)});
    }
    merged[entry->second].bytes += stack.bytes;
    merged[entry->second].blocks += stack.blocks;
  }
  std::ranges::stable_sort(merged, std::ranges::greater{}, &ReportStack::bytes);
  return merged;
}

void list_live_set(Report& report, LoadedTrace& trace, const ReportOptions& options) {
  const Instant at = options.at_ns ? trace.instant_at(*options.at_ns) : report.peak.at;
  const LiveSet live = live_set_at(trace, at);
  report.at_peak = !options.at_ns.has_value();
  report.live_at_ns = at.at_ns;
  report.live_bytes = report.at_peak ? report.peak.footprint_bytes : live.totals.footprint();
  report.live_stacks = merged_stacks(live, trace.definitions());
  report.live_stack_count = report.live_stacks.size();
  report.unattributed_bytes = static_cast<std::int64_t>(report.live_bytes);
  for (const ReportStack& stack : report.live_stacks) {
    report.unattributed_bytes -= static_cast<std::int64_t>(stack.bytes);
  }
  while (options.top != 0 && report.live_stacks.size() > options.top) {
    report.live_rest.bytes += report.live_stacks.back().bytes;
    report.live_rest.blocks += report.live_stacks.back().blocks;
    report.live_stacks.pop_back();
  }
}

void take_scan(Report& report, ScanResult result, const trace::Definitions& definitions) {
  report.counts = result.counts;
  report.files = std::move(result.files);
  report.phases = std::move(result.phases);
  report.unexplained_bytes = result.unexplained_bytes;
  report.last_failure = result.last_failure;
  if (result.last_failure) {
    report.last_failure_stack = named_stack(definitions, result.last_failure->stack);
  }
}

void describe_session(Report& report, const LoadedTrace& trace) {
  report.session = trace.definitions().session;
  report.processes = trace.definitions().processes;
  report.duration_ns = trace.duration_ns();
  report.event_count = trace.event_count();
  for (const trace::Process& process : report.processes) {
    report.kernel_peak_rss_bytes =
        std::max(report.kernel_peak_rss_bytes, process.kernel_peak_rss_bytes);
  }
}

}  // namespace

std::optional<double> Report::ratio() const {
  if (!model.is_known()) {
    return std::nullopt;
  }
  return static_cast<double>(peak.footprint_bytes) / static_cast<double>(model.bytes);
}

Result<Report> build_report(LoadedTrace& trace, const ReportOptions& options) {
  Report report;
  describe_session(report, trace);
  const auto resident = resident_series(trace);
  report.resident = find_resident_peaks(trace, resident);
  take_scan(report, scan(trace, resident), trace.definitions());
  if (auto status = find_model(report, options.model); !status.ok()) {
    return status.error();
  }
  report.peak = find_peak(trace);
  report.lane_peaks = find_lane_peaks(trace);
  Timeline timeline(trace);
  if (report.phases.empty()) {
    report.phases = find_phases(model_files(report), report.duration_ns, timeline);
  }
  find_peak_phase(report, trace);
  list_live_set(report, trace, options);
  report.timeline = timeline.columns(0, report.duration_ns + 1, options.columns);
  report.loss = trace.loss();
  return report;
}

}  // namespace tidemark::analyzer
