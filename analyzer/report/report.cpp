#include "analyzer/report/report.hpp"

#include "analyzer/flow/model_follower.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/stacks/stack_groups.hpp"

#include <algorithm>
#include <memory>
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

void list_live_set(Report& report, LoadedTrace& trace, const ReportOptions& options) {
  const Instant at = options.at_ns ? trace.instant_at(*options.at_ns) : report.peak.at;
  report.live = live_set_at(trace, at);
  report.at_peak = !options.at_ns.has_value();
  report.live_at_ns = at.at_ns;
  report.live_bytes = report.at_peak ? report.peak.footprint_bytes : report.live.totals.footprint();
  const auto groups = group_stacks(report.live, trace.definitions());
  report.live_stack_count = groups.size();
  report.unattributed_bytes = static_cast<std::int64_t>(report.live_bytes);
  for (const StackGroup& group : groups) {
    report.unattributed_bytes = wrapping_sum(report.unattributed_bytes, minus(group.bytes));
    if (options.top == 0 || report.live_stacks.size() < options.top) {
      report.live_stacks.push_back({.bytes = group.bytes,
                                    .blocks = group.blocks,
                                    .lane = group.lane,
                                    .frames = named_stack(trace.definitions(), group.stack)});
    } else {
      report.live_rest.bytes += group.bytes;
      report.live_rest.blocks += group.blocks;
    }
  }
}

void take_scan(Report& report, ScanResult result, const trace::Definitions& definitions) {
  report.counts = result.counts;
  report.files = std::move(result.files);
  report.device = std::move(result.device);
  report.phases = std::move(result.phases);
  report.unexplained_bytes = result.unexplained_bytes;
  report.last_failure = result.last_failure;
  if (result.last_failure) {
    report.last_failure_stack = named_stack(definitions, result.last_failure->stack);
  }
}

/// Null where no anatomy is asked for, or nothing looks like a model.
std::unique_ptr<ModelFollower> follower_for(const LoadedTrace& trace,
                                            const Peak& peak,
                                            const ReportOptions& options) {
  ModelFiles files = ModelFiles::expected(trace.definitions(), options.model);
  return options.anatomy && !files.empty()
             ? std::make_unique<ModelFollower>(trace, peak, std::move(files))
             : nullptr;
}

ScanResult scan_with(ModelFollower* follower,
                     LoadedTrace& trace,
                     const std::vector<ResidentTotals>& resident) {
  Scan scan(trace, resident);
  std::vector<PassListener*> listeners{&scan};
  if (follower != nullptr) {
    listeners.push_back(follower);
  }
  run_pass(trace, resident, listeners);
  return scan.take();
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
  report.peak = find_peak(trace);
  const auto follower = follower_for(trace, report.peak, options);
  take_scan(report, scan_with(follower.get(), trace, resident), trace.definitions());
  if (auto status = find_model(report, options.model); !status.ok()) {
    return status.error();
  }
  report.lane_peaks = find_lane_peaks(trace);
  Timeline timeline(trace);
  if (report.phases.empty()) {
    report.phases = find_phases(model_files(report), report.duration_ns, timeline);
  }
  find_peak_phase(report, trace);
  list_live_set(report, trace, options);
  if (options.anatomy) {
    report.anatomy = build_anatomy(trace, report, follower.get());
  }
  report.timeline = timeline.columns(0, report.duration_ns + 1, options.columns);
  report.loss = trace.loss();
  return report;
}

}  // namespace tidemark::analyzer
