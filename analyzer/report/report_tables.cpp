#include "analyzer/report/report_tables.hpp"

#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/lane_rows.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tidemark::analyzer {
namespace {

std::string live_row(const Report& report, std::uint64_t bytes, const std::string& blocks) {
  constexpr std::size_t kShareWidth = 7;
  constexpr std::size_t kBlocksWidth = 10;
  return size_column(bytes) + right(share(bytes, report.live_bytes), kShareWidth) +
         right(blocks, kBlocksWidth) + "  ";
}

std::string live_stack(const Report& report,
                       std::size_t rank,
                       const Telling& telling,
                       const TextStyle& style) {
  const ReportStack& stack = report.live_stacks[rank];
  const std::string row = live_row(report, stack.bytes, format_count(stack.blocks));
  const std::string_view suffix = lane_suffix(stack.lane);
  const bool has_callers = deserves_its_callers(report, rank);
  const auto frames = frames_of(report, stack);
  std::string text =
      row +
      painted(style, Paint::kBold,
              row_text(style, frames, has_callers ? telling.without_caller() : telling,
                       style.width - row.size() - suffix.size())) +
      std::string(suffix) + '\n';
  if (!has_callers) {
    return text;
  }
  for (const std::string& line : chain_text(style, frames, style.width - row.size())) {
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
    text += number_column(format_signed_size(report.unattributed_bytes)) + std::string(19, ' ') +
            "not attributed: these stacks are not in the trace\n";
  }
  return text;
}

/// Reads or mappings may be among what is lost.
bool may_lack_reads(const Report& report) {
  return report.may_lack_events() || report.loss.hides_reads() || report.loss.hides_mappings();
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
  if (!partly_read_sentence(report.files).empty()) {
    return "no model file was read whole";
  }
  return may_lack_reads(report) ? "no model file is known: no ratio"
                                : "no model file was read: no ratio";
}

/// How to go on if weights are not taken for the model; usually empty. The second half is to be
/// copied, so it is one line, however wide.
std::string model_advice(const Report& report, const TextStyle& style) {
  const std::string advice = report.model.source == ModelSource::kUnknown
                                 ? missed_model_sentence(report.files)
                                 : std::string();
  if (advice.empty()) {
    return {};
  }
  constexpr std::size_t kIndent = 2;
  const std::size_t half = advice.find("; --model");
  const std::string indent(kIndent, ' ');
  std::string text;
  for (const std::string& line :
       wrapped(style, printable(style, advice.substr(0, half + 1)), style.width - kIndent)) {
    text += indent + line + '\n';
  }
  return text + indent + printable(style, advice.substr(half + 2)) + '\n';
}

/// That it was read more than once.
std::string model_notes(const Report& report, const TextStyle& style) {
  std::string lines;
  for (const std::string& note : model_notes_of(report)) {
    lines += "  " + fit(style, printable(style, note), style.width - 2) + '\n';
  }
  return lines;
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

constexpr std::string_view kNameTheModel =
    "with record --model FILE what is in memory is compared with that file, whoever reads it";

/// Lost reads may have been the only ones. A program may also map a file past libc: then only its
/// pages are known.
std::string no_file_text(const Report& report) {
  constexpr std::uint64_t kManyBytes = std::uint64_t{64} << 20U;  // Most libraries have less.
  const std::uint64_t bytes = report.resident.file_bytes;
  if (bytes < kManyBytes) {
    return may_lack_reads(report)
               ? "no read or mapping of a file is in this trace; there may have been some"
               : "no file was read or mapped, so there is no model to compare with";
  }
  return fmt::format(
      "no file was seen to be read or mapped; {} of files' pages were "
      "resident, of libraries or of what was mapped without libc; {}",
      format_size(bytes), kNameTheModel);
}

/// Nothing was seen of a process that ended before its first sample.
std::string resident_column(const trace::Process& process) {
  return process.kernel_peak_rss_bytes == 0 ? number_column("?")
                                            : size_column(process.kernel_peak_rss_bytes);
}

std::string phase_row(const Report& report, const Phase& phase, const TextStyle& style) {
  const std::string ratio =
      report.model.is_known()
          ? fmt::format("{:.2f} x W", static_cast<double>(phase.peak_bytes) /
                                          static_cast<double>(report.model.bytes))
          : std::string();
  const std::string row = number_column(format_time(phase.begin_ns)) +
                          number_column(format_time(phase.end_ns)) + size_column(phase.peak_bytes) +
                          number_column(ratio) + "  ";
  return row + fit(style, printable(style, phase.name), style.width - row.size()) + '\n';
}

}  // namespace

std::string lane_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kNameWidth = 13;
  const std::size_t room = style.width - kNameWidth - 2 * kNumberWidth - 2;
  std::string text = title(
      style, left("memory", kNameWidth) + number_column("highest") + number_column("at peak"));
  for (const LaneRow& row : lane_rows(report)) {
    text += left(row.name, kNameWidth) + number_column(row.highest) + number_column(row.at_peak) +
            "  " + painted(style, Paint::kDim, fit(style, row.meaning, room)) + '\n';
  }
  return was_sampled(report) ? text : text + "resident memory was not sampled\n";
}

std::string live_table(const Report& report, const TextStyle& style) {
  std::string text = title(style, live_title_of(report));
  const auto telling = telling_texts(report.live_stacks);
  for (std::size_t rank = 0; rank < report.live_stacks.size(); ++rank) {
    text += live_stack(report, rank, telling[rank], style);
  }
  return text + live_remainders(report);
}

std::string device_table(const Report& report, const TextStyle& style) {
  if (report.device.empty()) {
    return {};
  }
  std::string text = title(
      style, number_column("highest") + number_column("allocated") + "     device memory", "");
  for (const DeviceUse& use : report.device) {
    text += size_column(use.highest_bytes) + number_column(format_count(use.allocations)) +
            fmt::format("     heap {}, type {}: {}", use.heap, use.type,
                        device_properties_text(use.properties));
    if (use.dedicated != 0) {
      text += fmt::format("; {} dedicated", format_count(use.dedicated));
    }
    if (use.imported != 0) {
      text += fmt::format("; {} imported", format_count(use.imported));
    }
    text += '\n';
  }
  return text;
}

std::string file_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMaxFileRows = 6;
  if (report.files.empty()) {
    const std::string unseen = unseen_input_text(report.loss);
    const std::string text =
        unseen.empty() ? no_file_text(report)
                       : "no read or mapping of a file was seen, and tidemark did not see " +
                             unseen + "; " + std::string(kNameTheModel);
    std::string lines;
    for (const std::string& line : wrapped(style, text, style.width)) {
      lines += line + '\n';
    }
    return lines;
  }
  std::string text = title(
      style, number_column("size") + number_column("read") + number_column("mapped") + "     file",
      fmt::format("  ({})", model_origin(report)));
  const auto order = files_by_weight(report);
  for (std::size_t i = 0; i < std::min(order.size(), kMaxFileRows); ++i) {
    const FileUse& file = report.files[order[i]];
    const bool is_model =
        std::ranges::find(report.model.files, order[i]) != report.model.files.end();
    const std::string row = size_column(file.size) + size_column(file.bytes_read) +
                            size_column(file.bytes_mapped) + (is_model ? "  W  " : "     ");
    text += row + fit_tail(style, printable(style, file.path), style.width - row.size()) + '\n';
  }
  return text + more_line(order.size(), kMaxFileRows, "files") + model_advice(report, style) +
         model_notes(report, style);
}

std::string phase_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMaxPhaseRows = 20;
  if (report.phases.empty()) {
    return {};
  }
  const std::string_view note = report.phases.front().marked ? "" : "  (found; see tidemark marks)";
  std::string text = title(style,
                           number_column("begin") + number_column("end") +
                               number_column("highest") + number_column("") + "  phase",
                           note);
  for (const Phase& phase : highest_phases(report.phases, kMaxPhaseRows)) {
    text += phase_row(report, phase, style);
  }
  return text + more_line(report.phases.size(), kMaxPhaseRows, "phases");
}

/// Facts that are known only at the end of a process are missing if the end of the file is.
std::string highest_column(const trace::Process& process, const trace::Loss& loss) {
  const bool is_known = process.end_ns != 0 || process.peak.footprint() != 0 || !loses_end(loss);
  return is_known ? size_column(process.peak.footprint()) : number_column("?");
}

std::string process_table(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMaxProcessRows = 10;
  if (report.processes.size() < 2) {
    return {};
  }
  auto processes = report.processes;
  std::ranges::stable_sort(processes, std::ranges::greater{},
                           [](const trace::Process& process) { return process.peak.footprint(); });
  std::string text = title(
      style, number_column("highest") + number_column("max rss") + right("pid", 9) + "  process");
  for (std::size_t i = 0; i < std::min(processes.size(), kMaxProcessRows); ++i) {
    const trace::Process& process = processes[i];
    const std::string row = highest_column(process, report.loss) + resident_column(process) +
                            right(std::to_string(process.pid), 9) + "  ";
    text += row + fit(style, printable(style, process.command), style.width - row.size()) + '\n';
  }
  return text + more_line(processes.size(), kMaxProcessRows, "processes");
}

}  // namespace tidemark::analyzer
