#include "analyzer/report_tables.hpp"

#include "analyzer/size_text.hpp"
#include "analyzer/stack_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kNumberWidth = 11;  // Of a size with its unit, and a gap before it.

/// A heading; `note` stands behind it as far as there is room.
std::string title(const TextStyle& style, std::string_view text, std::string_view note = "") {
  const std::size_t room = style.width - std::min(style.width, width_of(text));
  return painted(style, Paint::kBold, text) + fit(style, note, room) + '\n';
}

std::string number(std::string_view text) {
  return right(text, kNumberWidth);
}
std::string size(std::uint64_t bytes) {
  return number(format_size(bytes));
}

class LaneRows {
 public:
  explicit LaneRows(const TextStyle& style) : style_(style) {
    text_ = title(style, left("memory", kNameWidth) + number("highest") + number("at peak"));
  }

  void add(std::string_view name,
           std::string_view highest,
           std::string_view at_peak,
           std::string_view meaning) {
    const std::size_t room = style_.width - kNameWidth - 2 * kNumberWidth - 2;
    text_ += left(name, kNameWidth) + number(highest) + number(at_peak) + "  " +
             painted(style_, Paint::kDim, fit(style_, meaning, room)) + '\n';
  }
  void add_exact(std::string_view name,
                 trace::Lane lane,
                 const Report& report,
                 std::string_view meaning) {
    add(name, format_size(report.lane_peaks[lane]), format_size(report.peak.lanes[lane]), meaning);
  }
  void add_sampled(std::string_view name, std::uint64_t bytes, std::string_view meaning) {
    add(name, format_size(bytes), "", meaning);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static constexpr std::size_t kNameWidth = 13;
  const TextStyle& style_;
  std::string text_;
};

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) {
    return {};
  }
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return part != 0 && percent < 0.05 ? "<0.1%" : fmt::format("{:.1f}%", percent);
}

std::string live_row(const Report& report, std::uint64_t bytes, const std::string& blocks) {
  constexpr std::size_t kShareWidth = 7;
  constexpr std::size_t kBlocksWidth = 10;
  return size(bytes) + right(share(bytes, report.live_bytes), kShareWidth) +
         right(blocks, kBlocksWidth) + "  ";
}

std::string live_title(const Report& report) {
  const std::string when = report.at_peak ? "at the peak" : "at " + format_time(report.live_at_ns);
  return fmt::format("alive {}: {} from {} {}", when, format_size(report.live_bytes),
                     format_count(report.live_stack_count),
                     report.live_stack_count == 1 ? "stack" : "stacks");
}

std::string_view lane_suffix(trace::Lane lane) {
  return lane == trace::Lane::kDevice ? "  (device)" : lane == trace::Lane::kAnon ? "  (anon)" : "";
}

/// Beyond the first few, callers of less than one in a hundred would only push others off the
/// screen.
bool deserves_its_callers(const Report& report, std::size_t rank) {
  constexpr std::size_t kAlways = 3;
  return rank < kAlways || report.live_stacks[rank].bytes >= report.live_bytes / 100;
}

std::string live_stack(const Report& report, std::size_t rank, const TextStyle& style) {
  const ReportStack& stack = report.live_stacks[rank];
  const std::string row = live_row(report, stack.bytes, format_count(stack.blocks));
  const std::string_view suffix = lane_suffix(stack.lane);
  std::string text =
      row +
      painted(style, Paint::kBold,
              asking_text(style, stack.frames, style.width - row.size() - suffix.size())) +
      std::string(suffix) + '\n';
  if (!deserves_its_callers(report, rank)) {
    return text;
  }
  for (const std::string& line : chain_text(style, stack.frames, style.width - row.size())) {
    text += std::string(row.size(), ' ') + painted(style, Paint::kDim, line) + '\n';
  }
  return text;
}

std::string live_remainders(const Report& report) {
  std::string text;
  const std::size_t rest = report.live_stack_count - report.live_stacks.size();
  if (rest > 0) {
    text += live_row(report, report.live_rest.bytes, format_count(report.live_rest.blocks)) +
            fmt::format("{} more {}\n", format_count(rest), rest == 1 ? "stack" : "stacks");
  }
  if (report.unattributed_bytes != 0) {
    text += number(format_signed_size(report.unattributed_bytes)) + std::string(19, ' ') +
            "not attributed: these stacks are not in the trace\n";
  }
  return text;
}

std::string_view model_origin(const Report& report) {
  switch (report.model.source) {
    case ModelSource::kGiven:
      return "W was given with --model";
    case ModelSource::kFiles:
      return "files marked W are the model";
    case ModelSource::kUnknown:
      break;
  }
  return "no model file was read: no ratio";
}

/// Model files first, then the others by the bytes taken from them.
std::vector<std::size_t> files_by_weight(const Report& report) {
  std::vector<std::size_t> order(report.files.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto is_model = [&](std::size_t i) {
    return std::ranges::find(report.model.files, i) != report.model.files.end();
  };
  const auto taken = [&](std::size_t i) {
    return report.files[i].bytes_read + report.files[i].bytes_mapped;
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(is_model(a), taken(a)) > std::pair(is_model(b), taken(b));
  });
  return order;
}

std::string phase_row(const Report& report, const Phase& phase, const TextStyle& style) {
  const std::string ratio =
      report.model.is_known()
          ? fmt::format("{:.2f} x W", static_cast<double>(phase.peak_bytes) /
                                          static_cast<double>(report.model.bytes))
          : std::string();
  const std::string row = number(format_time(phase.begin_ns)) + number(format_time(phase.end_ns)) +
                          size(phase.peak_bytes) + number(ratio) + "  ";
  return row + fit(style, printable(style, phase.name), style.width - row.size()) + '\n';
}

/// The `count` phases with the highest peaks, still in order of their begin.
std::vector<Phase> highest_phases(std::vector<Phase> phases, std::size_t count) {
  if (phases.size() > count) {
    std::ranges::stable_sort(phases, std::ranges::greater{}, &Phase::peak_bytes);
    phases.resize(count);
    std::ranges::stable_sort(phases, {}, &Phase::begin_ns);
  }
  return phases;
}

std::string more_line(std::size_t all, std::size_t shown, const std::string& what) {
  return all > shown
             ? fmt::format("{} more {}\n", right(format_count(all - shown), kNumberWidth), what)
             : std::string();
}

}  // namespace

std::string lane_table(const Report& report, const TextStyle& style) {
  LaneRows rows(style);
  rows.add("footprint", format_size(report.peak.footprint_bytes),
           format_size(report.peak.footprint_bytes), "heap + anon + device");
  rows.add_exact("  heap", trace::Lane::kHeap, report, "malloc, new: bytes requested");
  rows.add_exact("  anon", trace::Lane::kAnon, report, "anonymous mmap, brk");
  if (report.lane_peaks[trace::Lane::kDevice] != 0) {
    rows.add_exact("  device", trace::Lane::kDevice, report, "GPU memory");
  }
  rows.add_exact("file", trace::Lane::kFile, report, "file mappings: reserved, not footprint");
  if (report.resident.total_bytes == 0) {
    return rows.take() + "resident memory was not sampled\n";
  }
  rows.add_sampled("rss", report.resident.total_bytes, "resident, sampled; of this:");
  rows.add_sampled("  rss_anon", report.resident.anon_bytes, "private memory");
  rows.add_sampled("  rss_file", report.resident.file_bytes, "pages of mapped files");
  if (report.resident.shmem_bytes != 0) {
    rows.add_sampled("  rss_shmem", report.resident.shmem_bytes, "shared memory");
  }
  if (report.kernel_peak_rss_bytes != 0) {
    rows.add_sampled("  VmHWM", report.kernel_peak_rss_bytes, "the kernel's own, largest process");
  }
  rows.add_sampled("unexplained", report.unexplained_bytes, "rss_anon beyond heap + anon");
  return rows.take();
}

std::string live_table(const Report& report, const TextStyle& style) {
  std::string text = title(style, live_title(report));
  for (std::size_t rank = 0; rank < report.live_stacks.size(); ++rank) {
    text += live_stack(report, rank, style);
  }
  return text + live_remainders(report);
}

std::string file_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMost = 6;
  if (report.files.empty()) {
    return "no file was read or mapped, so there is no model to compare with\n";
  }
  std::string text = title(style, number("size") + number("read") + number("mapped") + "     file",
                           fmt::format("  ({})", model_origin(report)));
  const auto order = files_by_weight(report);
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    const FileUse& file = report.files[order[i]];
    const bool is_model =
        std::ranges::find(report.model.files, order[i]) != report.model.files.end();
    const std::string row = size(file.size) + size(file.bytes_read) + size(file.bytes_mapped) +
                            (is_model ? "  W  " : "     ");
    text += row + fit_tail(style, printable(style, file.path), style.width - row.size()) + '\n';
  }
  return text + more_line(order.size(), kMost, "files");
}

std::string phase_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMost = 20;
  if (report.phases.empty()) {
    return {};
  }
  const std::string_view note = report.phases.front().marked ? "" : "  (found; see tidemark marks)";
  std::string text = title(
      style, number("begin") + number("end") + number("highest") + number("") + "  phase", note);
  for (const Phase& phase : highest_phases(report.phases, kMost)) {
    text += phase_row(report, phase, style);
  }
  return text + more_line(report.phases.size(), kMost, "phases");
}

std::string process_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMost = 10;
  if (report.processes.size() < 2) {
    return {};
  }
  auto processes = report.processes;
  std::ranges::stable_sort(processes, std::ranges::greater{},
                           [](const trace::Process& process) { return process.peak.footprint(); });
  std::string text =
      title(style, number("highest") + number("max rss") + right("pid", 9) + "  process");
  for (std::size_t i = 0; i < std::min(processes.size(), kMost); ++i) {
    const trace::Process& process = processes[i];
    const std::string row = size(process.peak.footprint()) + size(process.kernel_peak_rss_bytes) +
                            right(std::to_string(process.pid), 9) + "  ";
    text += row + fit(style, printable(style, process.command), style.width - row.size()) + '\n';
  }
  return text + more_line(processes.size(), kMost, "processes");
}

}  // namespace tidemark::analyzer
