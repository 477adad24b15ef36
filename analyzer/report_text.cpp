#include "analyzer/report_text.hpp"

#include "analyzer/loss_text.hpp"
#include "analyzer/plot_text.hpp"
#include "analyzer/report_tables.hpp"
#include "analyzer/size_text.hpp"
#include "analyzer/stack_text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

std::string model_sentence(const Report& report) {
  const auto ratio = report.ratio();
  return ratio ? fmt::format(" = {:.2f} x the {} model", *ratio, format_size(report.model.bytes))
               : std::string();
}

std::string phase_sentence(const Report& report) {
  if (!report.peak_phase) {
    return {};
  }
  const Phase& phase = *report.peak_phase;
  return (phase.marked ? ", in phase " : ", in found phase ") + phase.name;
}

/// One line if it fits, else two: the second begins after a comma of the first.
std::vector<std::string> in_two(const std::string& text, std::size_t width) {
  const std::size_t comma = text.find(", ", text.find(", ") + 1);
  if (width_of(text) <= width || comma == std::string::npos) {
    return {text};
  }
  return {text.substr(0, comma + 1), " " + text.substr(comma + 1)};
}

/// The outermost phases: those that begin after the one before them ended.
std::vector<PlotSpan> plot_spans(const Report& report, const TextStyle& style) {
  std::vector<PlotSpan> spans;
  for (const Phase& phase : report.phases) {
    if (spans.empty() || phase.begin_ns >= spans.back().end_ns) {
      spans.push_back({printable(style, phase.name), phase.begin_ns, phase.end_ns});
    }
  }
  return spans;
}

std::string headline(const Report& report, const TextStyle& style) {
  const std::string text = fmt::format(
      "peak {}{}, at {}{}", format_size(report.peak.footprint_bytes), model_sentence(report),
      format_time(report.peak.at.at_ns), phase_sentence(report));
  std::string lines;
  for (const std::string& line : in_two(printable(style, text), style.width)) {
    lines += painted(style, Paint::kBold, fit(style, line, style.width)) + '\n';
  }
  return lines;
}

std::string command_lines(const Report& report, const TextStyle& style) {
  constexpr std::size_t kIndent = 2;
  const std::string command =
      printable(style, fmt::format("{}", fmt::join(report.session.command, " ")));
  std::string outcome = "no end was recorded";
  if (report.session.ended) {
    outcome = fmt::format("exit status {}", report.session.exit_status);
  }
  outcome +=
      fmt::format(" after {}, {} {}", format_time(report.duration_ns),
                  format_count(report.event_count), report.event_count == 1 ? "event" : "events");
  if (report.processes.size() > 1) {
    outcome += fmt::format(", {} processes", format_count(report.processes.size()));
  }
  return "  " + fit(style, command, style.width - kIndent) + "\n  " + outcome + '\n';
}

std::string warning_lines(const Report& report, const TextStyle& style) {
  std::string lines;
  const auto add = [&](const std::string& text) {
    lines +=
        painted(style, Paint::kWarning, fit(style, printable(style, text), style.width)) + '\n';
  };
  if (loses_anything(report.loss)) {
    add("LOST: " + loss_text(report.loss));
  }
  if (report.session.heap_invisible) {
    add("The program brings its own malloc: its heap is not in these numbers.");
  }
  if (!report.model_note.empty()) {
    add(report.model_note);
  }
  if (!report.peak.lanes_exact) {
    add("The block with the peak is damaged: its lanes and stacks are those just before.");
  }
  return lines;
}

std::string failure_lines(const Report& report, const TextStyle& style) {
  if (!report.last_failure) {
    return {};
  }
  const trace::Event& failure = *report.last_failure;
  constexpr std::string_view kBy = "    asked for by ";
  const std::string count = report.counts.failed == 1
                                ? std::string("1 request was")
                                : format_count(report.counts.failed) + " requests were";
  return "  " +
         painted(style, Paint::kWarning,
                 fmt::format("{} refused, the last one at {}: {}", count,
                             format_time(failure.at_ns), format_size(failure.size))) +
         '\n' + std::string(kBy) +
         asking_text(style, report.last_failure_stack, style.width - kBy.size()) + '\n';
}

std::string plot(const Report& report, const TextStyle& style) {
  std::vector<std::uint64_t> values;
  values.reserve(report.timeline.size());
  for (const Extents& column : report.timeline) {
    values.push_back(column.footprint.maximum);
  }
  const auto spans = plot_spans(report, style);
  return plot_text(style, values,
                   {.top_bytes = report.peak.footprint_bytes,
                    .model_bytes = report.model.bytes,
                    .peak_at_ns = report.peak.at.at_ns,
                    .duration_ns = report.duration_ns,
                    .spans = spans});
}

std::string last_lines(const Report& report, const TextStyle& style) {
  std::string lines = loses_anything(report.loss)
                          ? painted(style, Paint::kWarning,
                                    fit(style, "lost      " + loss_text(report.loss), style.width))
                          : "lost      " + fit(style, loss_text(report.loss), style.width - 10);
  lines +=
      fmt::format("\noverhead  {} in the host, {} of waiting for the recorder\n",
                  format_size(report.resident.own_bytes), format_time(report.session.blocked_ns));
  return lines;
}

}  // namespace

std::string report_text(const Report& report, const TextStyle& style) {
  std::string text = headline(report, style) + warning_lines(report, style) + '\n' +
                     command_lines(report, style) + failure_lines(report, style);
  for (const std::string& section :
       {plot(report, style), lane_table(report, style), live_table(report, style),
        file_table(report, style), phase_table(report, style), process_table(report, style),
        last_lines(report, style)}) {
    if (!section.empty()) {
      text += '\n' + section;
    }
  }
  return text;
}

}  // namespace tidemark::analyzer
