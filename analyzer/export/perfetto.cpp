#include "analyzer/export/perfetto.hpp"

#include "analyzer/export/parts/frame_names.hpp"
#include "analyzer/export/parts/json_text.hpp"
#include "analyzer/export/parts/lane_points.hpp"
#include "analyzer/export/parts/perfetto_events.hpp"
#include "analyzer/export/parts/stack_values.hpp"
#include "analyzer/query/peak.hpp"
#include "analyzer/report/json_document.hpp"
#include "analyzer/report/report.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::exports {
namespace {

constexpr std::size_t kMaxFiles = 20;
constexpr std::size_t kMaxPhases = 10'000;

class Document {
 public:
  Document(analyzer::LoadedTrace& trace, const TimeSpan& span)
      : trace_(trace), definitions_(trace.definitions()), span_(span) {
    if (!definitions_.processes.empty()) {
      root_.pid = definitions_.processes.front().pid;
      root_.tid = root_.pid;
    }
  }

  void add_names() {
    std::map<std::uint32_t, std::string> commands;  // By pid: after an exec the new one counts.
    for (const trace::Process& process : definitions_.processes) {
      commands[process.pid] = process.command;
    }
    for (const auto& [pid, command] : commands) {
      events_.name_process(pid, analyzer::shown_text(command));
    }
    for (std::uint32_t i = 0; i < definitions_.threads.size(); ++i) {
      const std::string& name = definitions_.threads[i].name;
      events_.name_thread(thread(trace::ThreadId{i}), name.empty() ? "thread" : name);
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

  /// The largest files, by what was read or mapped of them.
  void add_files(std::vector<analyzer::FileUse> files) {
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
      add_counter("read or mapped of " + file.path, points);
    }
  }

  void add_phases(const std::vector<analyzer::Phase>& phases) {
    for (const analyzer::Phase& phase : analyzer::highest_phases(phases, kMaxPhases)) {
      if (phase.end_ns < span_.begin_ns || phase.begin_ns > span_.end_ns) {
        continue;
      }
      const PerfettoSlice slice{
          .name = phase.name,
          .begin_ns = std::max(phase.begin_ns, span_.begin_ns),
          .end_ns = std::min(phase.end_ns, span_.end_ns),
          .arguments = fmt::format(R"({{"peak bytes":{}}})", phase.peak_bytes)};
      if (phase.marked && nests(phase.thread, slice)) {
        events_.slice(thread(phase.thread), slice);
      } else {
        events_.free_slice(phase.marked ? thread(phase.thread) : root_, slice);
      }
    }
  }

  void add_peak(const analyzer::Peak& peak) {
    if (peak.footprint_bytes > 0 && span_.holds(peak.at.at_ns)) {
      events_.instant(root_, peak.at.at_ns, "peak " + analyzer::format_size(peak.footprint_bytes));
    }
  }

  [[nodiscard]] std::string text() const {
    const trace::Session& session = definitions_.session;
    return fmt::format(
        R"({{"displayTimeUnit":"ms","otherData":{{"exporter":"tidemark","command":{},)"
        R"("lost":{}}},"traceEvents":[{})"
        "\n]}}\n",
        json_string(fmt::format("{}", fmt::join(session.command, " "))),
        json_string(analyzer::loss_text(trace_.loss())), events_.text());
  }

 private:
  /// Where several processes were recorded, lanes are sums over them; they stand at the first one.
  void add_counter(const std::string& name, const std::vector<CounterPoint>& points) {
    events_.counter(root_.pid, name, points, "bytes");
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
  PerfettoEvents events_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> open_ends_;  // By ThreadId; inner ones last.
};

}  // namespace

Result<std::string> perfetto_json(analyzer::LoadedTrace& trace, const TimeSpan& span) {
  analyzer::ReportOptions options;
  options.top = 1;
  auto report = analyzer::build_report(trace, options);
  if (!report.ok()) {
    return report.error();
  }
  Document document(trace, span);
  document.add_names();
  document.add_lanes();
  document.add_resident();
  document.add_files(std::move(report.value().files));
  document.add_phases(report.value().phases);
  document.add_peak(report.value().peak);
  return document.text();
}

}  // namespace tidemark::exports
