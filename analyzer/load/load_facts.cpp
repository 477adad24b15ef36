#include "analyzer/load/load_facts.hpp"

#include "analyzer/query/lost_summary.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

Status find_model(LoadFacts& load, const std::string& given) {
  load.model = find_model_bytes(load.files);
  if (!given.empty()) {
    auto model = given_model_bytes(given, load.files);
    if (!model.ok()) {
      return model.error();
    }
    load.model = model.value();
  } else if (!load.session.model.empty()) {
    auto model = given_model_bytes(load.session.model, load.files);
    if (model.ok()) {
      load.model = model.value();
    } else {
      load.model_note = model.error().message;
    }
  }
  return success();
}

/// Those whose use was seen.
std::vector<FileUse> model_files(const LoadFacts& load) {
  std::vector<FileUse> files;
  for (const std::size_t i : load.model.files) {
    if (load.files[i].used()) {
      files.push_back(load.files[i]);
    }
  }
  return files;
}

void find_peak_phase(LoadFacts& load, LoadedTrace& trace) {
  const std::uint64_t after = trace.ordinal(load.peak.at);
  const auto event = trace.event_before(load.peak.at);
  const Phase* phase = phase_at(load.phases, load.peak.at.at_ns, after == 0 ? 0 : after - 1,
                                event ? event->thread : trace::ThreadId{0});
  if (phase != nullptr) {
    load.peak_phase = *phase;
  }
}

void take_scan(LoadFacts& load,
               ScanResult result,
               const trace::Definitions& definitions,
               const std::vector<SampledProcess>& sampled) {
  load.counts = result.counts;
  load.files = std::move(result.files);
  load.device = std::move(result.device);
  load.phases = std::move(result.phases);
  load.high_water = high_water_of(load.processes, sampled, result.gaps, load.resident);
  load.unexplained_bytes = std::max(result.unexplained.bytes, load.high_water.unexplained_bytes);
  load.unexplained_kept_bytes = result.unexplained.kept_bytes;
  if (load.unexplained_bytes != 0 && load.unexplained_bytes == result.unexplained.bytes) {
    load.unexplained_at_ns = result.unexplained.at_ns;
  }
  load.kept = result.kept;
  if (definitions.session.deep_bound) {
    // What such a library has from libc cannot be told from what was freed.
    load.kept = {};
    load.unexplained_kept_bytes = 0;
  }
  load.copied_bytes = result.copied_bytes;
  load.last_failure = result.last_failure;
  if (result.last_failure) {
    load.last_failure_stack = named_stack(definitions, result.last_failure->stack);
  }
}

void find_private_since_peak(LoadFacts& load, const std::vector<ResidentTotals>& resident) {
  std::uint64_t before = 0;
  for (const ResidentTotals& sample : resident) {
    std::uint64_t& most =
        sample.at_ns < load.peak.at.at_ns ? before : load.private_since_peak_bytes;
    most = std::max(most, sample.anon_bytes);
  }
  // A little more is the change within a sample.
  constexpr std::uint64_t kNotablePart = 50;
  const std::uint64_t by_mark =
      std::max(load.high_water.private_bytes, load.high_water.private_by_mark);
  if (by_mark > before + before / kNotablePart) {
    load.private_since_peak_bytes = std::max(load.private_since_peak_bytes, by_mark);
  }
}

ScanResult scan_with(std::span<PassListener* const> others,
                     LoadedTrace& trace,
                     const std::vector<ResidentTotals>& resident) {
  Scan scan(trace, resident);
  std::vector<PassListener*> listeners{&scan};
  listeners.insert(listeners.end(), others.begin(), others.end());
  run_pass(trace, resident, listeners);
  return scan.take(trace);
}

void describe_session(LoadFacts& load, const LoadedTrace& trace) {
  load.session = trace.definitions().session;
  load.processes = trace.definitions().processes;
  load.duration_ns = trace.duration_ns();
  load.event_count = trace.event_count();
  for (const trace::Process& process : load.processes) {
    load.kernel_peak_rss_bytes =
        std::max(load.kernel_peak_rss_bytes, process.kernel_peak_rss_bytes);
  }
}

}  // namespace

bool LoadFacts::is_peak_above_unrecorded() const {
  return loss.processes_unrecorded != 0 && with_unrecorded &&
         with_unrecorded->footprint <= peak.footprint_bytes;
}

trace::Loss LoadFacts::loss_of_peak() const {
  trace::Loss rest = loss;
  if (is_peak_above_unrecorded()) {
    rest.processes_unrecorded = 0;
    rest.unrecorded.clear();
  }
  return rest;
}

bool LoadFacts::may_have_failed_for_memory() const {
  const std::uint64_t soon_ns = std::max<std::uint64_t>(1'000'000'000, duration_ns / 10);
  return last_failure && last_failure->lane != trace::Lane::kFile && session.ended &&
         session.exit_status != 0 &&
         duration_ns - std::min(duration_ns, last_failure->at_ns) <= soon_ns;
}

std::optional<double> LoadFacts::ratio() const {
  if (!model.is_known()) {
    return std::nullopt;
  }
  return static_cast<double>(peak.footprint_bytes) / static_cast<double>(model.bytes);
}

std::uint64_t LoadFacts::model_opened_ns() const {
  std::uint64_t first_ns = UINT64_MAX;
  for (const std::size_t number : model.files) {
    first_ns = std::min(first_ns, files[number].opened_ns.value_or(UINT64_MAX));
  }
  return first_ns;
}

bool LoadFacts::is_well_above_model(std::uint64_t bytes) const {
  constexpr double kLow = 1.25;
  return static_cast<double>(bytes) >= kLow * static_cast<double>(model.bytes);
}

std::uint64_t LoadFacts::never_resident_bytes() const {
  constexpr std::uint64_t kNotablePart = 50;
  constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  const std::uint64_t requested = requested_at_peak();
  const std::uint64_t missing = requested - std::min(requested, high_water.private_bytes_at_most);
  // Without a sample the kernel's mark counts, for a program that is one process.
  const bool is_known =
      resident.anon_bytes != 0 || (processes.size() == 1 && kernel_peak_rss_bytes != 0);
  return is_known && missing >= std::max(requested / kNotablePart, kNotableBytes) ? missing : 0;
}

std::uint64_t LoadFacts::touched_late_bytes() const {
  constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  // Memory that samples have seen beyond the peak was not touched too late.
  const std::uint64_t seen = std::max(requested_at_peak(), resident.anon_bytes);
  const std::uint64_t late =
      high_water.private_by_mark - std::min(high_water.private_by_mark, seen);
  return high_water.is_mark_of_growth && !session.heap_invisible && late >= kNotableBytes ? late
                                                                                          : 0;
}

std::uint64_t LoadFacts::untouched_at_most_bytes() const {
  // Unexplained memory may come on top of everything that was requested.
  const std::uint64_t used =
      private_since_peak_bytes - std::min(private_since_peak_bytes, unexplained_bytes);
  return requested_at_peak() - std::min(requested_at_peak(), used);
}

Result<LoadFacts> gather_facts(LoadedTrace& trace,
                               Timeline& timeline,
                               const Peak& peak,
                               const std::string& model,
                               std::span<PassListener* const> listeners) {
  LoadFacts load;
  describe_session(load, trace);
  const auto resident = resident_series(trace);
  load.resident = find_resident_peaks(trace, resident);
  load.peak = peak;
  take_scan(load, scan_with(listeners, trace, resident), trace.definitions(),
            sampled_processes(trace));
  find_private_since_peak(load, resident);
  if (auto status = find_model(load, model); !status.ok()) {
    return status.error();
  }
  load.before_load = find_before_load(trace, peak, load.model_opened_ns(), model_files(load));
  load.lane_peaks = find_lane_peaks(trace);
  if (load.phases.empty()) {
    load.phases = find_phases(model_files(load), load.duration_ns, timeline);
  }
  find_peak_phase(load, trace);
  load.loss = trace.loss();
  load.summary_lost = lost_a_summary(trace);
  load.with_unrecorded = highest_with_unrecorded(timeline, load.loss);
  return load;
}

}  // namespace tidemark::analyzer
