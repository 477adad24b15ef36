#include "analyzer/report/report_text.hpp"

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/anatomy/why_list.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/parts/sampled_table.hpp"
#include "analyzer/report/parts/tensor_table.hpp"
#include "analyzer/report/parts/usage_table.hpp"
#include "analyzer/report/report_tables.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/plot_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

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
  std::string lines;
  for (const std::string& line : in_two(printable(style, headline_of(report)), style.width)) {
    lines += painted(style, Paint::kBold, fit(style, line, style.width)) + '\n';
  }
  const std::string sum = peak_sum_of(report);
  return sum.empty() ? lines : lines + ' ' + fit(style, sum, style.width - 1) + '\n';
}

std::string command_lines(const Report& report, const TextStyle& style) {
  constexpr std::size_t kIndent = 2;
  return "  " + fit(style, printable(style, command_of(report)), style.width - kIndent) + "\n  " +
         outcome_of(report) + '\n';
}

std::string warning_lines(const Report& report, const TextStyle& style) {
  std::string lines;
  for (const std::string& text : warnings_of(report)) {
    for (const std::string& line : wrapped(style, printable(style, text), style.width)) {
      lines += painted(style, Paint::kWarning, line) + '\n';
    }
  }
  return lines;
}

std::string failure_lines(const Report& report, const TextStyle& style) {
  if (!report.last_failure) {
    return {};
  }
  constexpr std::string_view kBy = "    allocated by ";
  std::string lines =
      "  " + painted(style, Paint::kWarning, refusals_of(report)) + '\n' + std::string(kBy) +
      asking_text(style, report.last_failure_stack, style.width - kBy.size()) + '\n';
  for (const Finding& finding : report.anatomy.findings) {
    if (finding.kind == FindingKind::kRefused) {
      lines += "    " + fit(style, advice_text(report, finding), style.width - 4) + '\n';
    }
  }
  return lines;
}

std::string unrecorded_list(const Report& report, const TextStyle& style) {
  constexpr std::size_t kMaxUnrecordedLines = 10;
  constexpr std::string_view kIndent = "          ";
  std::string lines;
  for (const std::string& line :
       unrecorded_lines(report.session, report.loss, kMaxUnrecordedLines)) {
    lines += std::string(kIndent) +
             fit_middle(style, printable(style, line), style.width - kIndent.size()) + '\n';
  }
  if (report.is_peak_above_unrecorded()) {
    lines += std::string(kIndent) + std::string(kNoHigherPeak) + '\n';
  }
  return lines;
}

std::string last_lines(const Report& report, const TextStyle& style) {
  const std::string lost = "lost      " + known_loss(report);
  const std::string lines = loses_anything(report.loss_of_peak())
                                ? painted(style, Paint::kWarning, fit(style, lost, style.width))
                                : fit(style, lost, style.width);
  return lines + '\n' + unrecorded_list(report, style) + "overhead  " +
         fit(style, overhead_of(report), style.width - 10) + '\n';
}

}  // namespace

std::string footprint_curve(const Report& report, const TextStyle& style) {
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

std::string report_text(const Report& report, const TextStyle& style) {
  std::string text = headline(report, style) + warning_lines(report, style) + '\n' +
                     command_lines(report, style) + failure_lines(report, style);
  for (const std::string& section :
       {footprint_curve(report, style), lane_table(report, style), why_list(report, style),
        chain_picture(report, style), tensor_table(report, style), usage_table(report, style),
        live_table(report, style), sampled_table(report, style), device_table(report, style),
        file_table(report, style), phase_table(report, style), process_table(report, style),
        last_lines(report, style)}) {
    if (!section.empty()) {
      text += '\n' + section;
    }
  }
  return text;
}

}  // namespace tidemark::analyzer
