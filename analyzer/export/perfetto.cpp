#include "analyzer/export/perfetto.hpp"

#include "analyzer/export/curves/lane_points.hpp"
#include "analyzer/export/parts/perfetto_heap.hpp"
#include "analyzer/export/parts/perfetto_packets.hpp"
#include "analyzer/export/stacks/stack_values.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/footprint/program_end.hpp"
#include "analyzer/report/facts/report.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tidemark::exports {
namespace {

constexpr std::size_t kMaxFiles = 20;
constexpr std::size_t kMaxPhases = 10'000;

class Document {
 public:
  Document(analyzer::LoadedTrace& trace, const TimeSpan& span)
      : trace_(trace),
        definitions_(trace.definitions()),
        span_(span),
        packets_(definitions_.session.started_unix_ns) {
    if (!definitions_.processes.empty()) {
      root_.pid = definitions_.processes.front().pid;
      root_.tid = root_.pid;
    }
  }

  void add_names() {
    std::map<std::uint32_t, std::string> commands;  // By pid: the latest exec counts.
    for (const trace::Process& process : definitions_.processes) {
      commands[process.pid] = process.command;
    }
    for (const auto& [pid, command] : commands) {
      packets_.name_process(pid, analyzer::shown_text(command));
    }
    for (std::uint32_t i = 0; i < definitions_.threads.size(); ++i) {
      const std::string& name = definitions_.threads[i].name;
      packets_.name_thread(thread(trace::ThreadId{i}),
                           name.empty() ? "thread" : analyzer::shown_text(name));
    }
  }

  void add_lanes() {
    const LaneCurves curves = lane_curves(trace_, span_);
    add_counter("footprint", curves.footprint);
    for (const trace::Lane lane : trace::kShownLanes) {
      add_counter(trace::key_of(lane), curves.lanes.at(static_cast<std::size_t>(lane)));
    }
  }

  void add_resident() {
    CounterPoints anon(span_);
    CounterPoints file(span_);
    CounterPoints shmem(span_);
    for (const analyzer::ResidentTotals& sample : analyzer::resident_series(trace_)) {
      anon.add(sample.at_ns, sample.anon_bytes);
      file.add(sample.at_ns, sample.file_bytes);
      shmem.add(sample.at_ns, sample.shmem_bytes);
    }
    add_counter("rss_anon", anon.take());
    add_counter("rss_file", file.take());
    add_counter("rss_shmem", shmem.take());
  }

  /// The model's files, the largest first.
  void add_model(const analyzer::LoadFacts& facts) {
    std::vector<analyzer::FileUse> files;
    for (const std::size_t i : facts.model.files) {
      files.push_back(facts.files.at(i));
    }
    std::ranges::stable_sort(files, std::ranges::greater{}, [](const analyzer::FileUse& file) {
      return file.bytes_read + file.bytes_mapped;
    });
    files.resize(std::min(files.size(), kMaxFiles));
    for (const analyzer::FileUse& file : files) {
      std::vector<CounterPoint> points{{span_.begin_ns, file.bytes_until(span_.begin_ns)}};
      for (const analyzer::ReadingPoint& point : file.progress) {
        if (span_.holds(point.at_ns)) {
          points.push_back({point.at_ns, point.bytes});
        }
      }
      add_counter("read or mapped of " + analyzer::shown_text(file.path), points);
    }
  }

  void add_phases(const std::vector<analyzer::Phase>& phases) {
    for (const analyzer::Phase& phase : analyzer::highest_phases(phases, kMaxPhases)) {
      if (phase.end_ns < span_.begin_ns || phase.begin_ns > span_.end_ns) {
        continue;
      }
      const PerfettoSlice slice{.name = analyzer::shown_text(phase.name),
                                .begin_ns = std::max(phase.begin_ns, span_.begin_ns),
                                .end_ns = std::min(phase.end_ns, span_.end_ns),
                                .peak_bytes = phase.peak_bytes};
      if (phase.marked && nests(phase.thread, slice)) {
        packets_.slice(thread(phase.thread), slice);
      } else {
        packets_.free_slice(phase.marked ? thread(phase.thread).pid : root_.pid, slice);
      }
    }
  }

  void add_peak(const analyzer::Peak& peak) {
    if (peak.footprint_bytes > 0 && span_.holds(peak.at.at_ns)) {
      packets_.instant(root_.pid, peak.at.at_ns,
                       "peak " + analyzer::format_size(peak.footprint_bytes));
    }
  }

  /// Who held what at the peak and before the program ended, and all that was allocated and freed
  /// until then.
  void add_stacks(const analyzer::Peak& peak) {
    std::vector<analyzer::Instant> instants;
    const analyzer::Instant end =
        trace_.instant_at(std::min(analyzer::program_end_ns(trace_), span_.end_ns));
    if (peak.footprint_bytes > 0 && span_.holds(peak.at.at_ns) && peak.at.at_ns < end.at_ns) {
      instants.push_back(peak.at);
    }
    instants.push_back(end);
    std::map<trace::Lane, PerfettoHeap> heaps;
    for (const analyzer::Instant& instant : instants) {
      const StackTable table = stacks_between(trace_, {}, instant);
      for (const trace::Lane lane : trace::kShownLanes) {
        if (std::ranges::find(table.rows, lane, &StackRow::lane) != table.rows.end()) {
          heaps.try_emplace(lane, definitions_, root_.pid, lane, packets_).first->second.add(table);
        }
      }
    }
  }

  void add_session() {
    const std::string command = fmt::format("{}", fmt::join(definitions_.session.command, " "));
    packets_.instant(
        root_.pid, span_.begin_ns, "recorded by tidemark",
        {{"command", analyzer::shown_text(command)}, {"lost", analyzer::loss_text(trace_.loss())}});
  }

  [[nodiscard]] std::string bytes() const { return packets_.bytes(); }

 private:
  /// If several processes were recorded, lanes are sums over them and are attributed to the first
  /// one.
  void add_counter(const std::string& name, const std::vector<CounterPoint>& points) {
    packets_.counter(root_.pid, name, points);
  }

  [[nodiscard]] PerfettoThread thread(trace::ThreadId id) const {
    const std::size_t i = trace::index(id);
    const auto process = trace_.process_of(id);
    if (i >= definitions_.threads.size() || !process ||
        trace::index(*process) >= definitions_.processes.size()) {
      return root_;
    }
    return {.pid = definitions_.processes[trace::index(*process)].pid,
            .tid = definitions_.threads[i].tid};
  }

  /// Whether the slice lies within those of its thread that are open when it begins. Slices come in
  /// order of their begin.
  bool nests(trace::ThreadId thread, const PerfettoSlice& slice) {
    std::vector<std::uint64_t>& ends = open_ends_[trace::index(thread)];
    while (!ends.empty() && ends.back() <= slice.begin_ns) {
      ends.pop_back();
    }
    if (!ends.empty() && ends.back() < slice.end_ns) {
      return false;
    }
    ends.push_back(slice.end_ns);
    return true;
  }

  analyzer::LoadedTrace& trace_;
  const trace::Definitions& definitions_;
  TimeSpan span_;
  PerfettoThread root_{.pid = 1, .tid = 1};
  PerfettoPackets packets_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> open_ends_;  // By ThreadId; inner ones last.
};

}  // namespace

Result<std::string> perfetto_trace(analyzer::LoadedTrace& trace, const TimeSpan& span) {
  analyzer::ReportOptions options;
  options.top = 1;
  auto report = analyzer::build_report(trace, options);
  if (!report.ok()) {
    return report.error();
  }
  Document document(trace, span);
  document.add_names();
  document.add_session();
  document.add_lanes();
  document.add_resident();
  document.add_model(report.value());
  document.add_phases(report.value().phases);
  document.add_peak(report.value().peak);
  document.add_stacks(report.value().peak);
  return document.bytes();
}

}  // namespace tidemark::exports
