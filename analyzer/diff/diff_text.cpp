#include "analyzer/diff/diff_text.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "analyzer/diff/main_change.hpp"
#include "analyzer/report/anatomy/why_list.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/text/change_text.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kNameWidth = 13;
constexpr std::size_t kPercentWidth = 9;
constexpr std::size_t kTimeWidth = 13;

/// A number with its sign.
std::string change_of(std::string_view text) {
  return right(text, kNumberWidth + 1);
}

std::string headline(const Diff& diff, const TextStyle& style) {
  std::string lines =
      painted(style, Paint::kBold, fit(style, headline_of(diff), style.width)) + '\n';
  if (const std::string main_change = main_change_of(diff); !main_change.empty()) {
    for (const std::string& line : wrapped(style, printable(style, main_change), style.width)) {
      lines += line + '\n';
    }
  }
  return lines;
}

std::string warning_lines(const Diff& diff, const TextStyle& style) {
  std::string lines;
  for (const std::string& text : warnings_of(diff)) {
    for (const std::string& line : wrapped(style, printable(style, text), style.width)) {
      lines += painted(style, Paint::kWarning, line) + '\n';
    }
  }
  return lines;
}

std::string load_lines(std::string_view side, const Report& report, const TextStyle& style) {
  constexpr std::size_t kSideWidth = 10;
  const auto line = [&style](std::string_view start, Paint paint, std::string_view text) {
    return left(start, kSideWidth) +
           painted(style, paint, fit(style, text, style.width - kSideWidth)) + '\n';
  };
  std::string lines =
      line("  " + std::string(side), Paint::kPlain, printable(style, command_of(report))) +
      line("", Paint::kPlain, outcome_of(report));
  if (const std::string refusals = refusals_of(report); !refusals.empty()) {
    lines += line("", Paint::kWarning, refusals);
  }
  return lines;
}

std::string values(const DiffRow& row) {
  const std::string percent =
      row.percent.empty() ? std::string() : ' ' + right(row.percent, kPercentWidth - 1);
  return left(row.name, kNameWidth) + number_column(row.before) + number_column(row.after) +
         change_of(row.change) + percent + '\n';
}

std::string value_table(const Diff& diff, const TextStyle& style) {
  std::string text = title(style, left("highest", kNameWidth) + number_column("before") +
                                      number_column("after") + change_of("change"));
  for (const DiffRow& row : lane_rows(diff)) {
    text += values(row);
  }
  text += '\n';
  for (const DiffRow& row : load_rows(diff)) {
    text += values(row);
  }
  return text;
}

/// A narrow terminal has no room for a column that can be worked out from two others.
std::string change_column(const TextStyle& style, std::string_view text) {
  constexpr std::size_t kMinColumnsForChange = 75;
  return style.width < kMinColumnsForChange ? std::string() : change_of(text);
}

std::string phase_row(const PhasePair& pair, const TextStyle& style) {
  const auto peak = [](const std::optional<Phase>& phase) {
    return number_column(phase ? format_size(phase->peak_bytes) : "-");
  };
  const auto time = [](const std::optional<Phase>& phase) {
    return right(phase ? format_time(phase->end_ns - phase->begin_ns) : "-", kTimeWidth);
  };
  const std::string change = pair.before && pair.after ? format_size_change(pair.before->peak_bytes,
                                                                            pair.after->peak_bytes)
                                                       : std::string();
  const std::string row = peak(pair.before) + peak(pair.after) + change_column(style, change) +
                          time(pair.before) + time(pair.after) + "  ";
  return row + fit(style, printable(style, phase_name(pair)), style.width - row.size()) + '\n';
}

std::string phase_table(const Diff& diff, const TextStyle& style) {
  constexpr std::size_t kMaxPhaseRows = 20;
  if (diff.phases.empty()) {
    return {};
  }
  std::string text =
      title(style, "phases: highest footprint, and time") +
      title(style, number_column("before") + number_column("after") +
                       change_column(style, "change") + right("time before", kTimeWidth) +
                       right("time after", kTimeWidth) + "  phase");
  for (std::size_t i = 0; i < std::min(kMaxPhaseRows, diff.phases.size()); ++i) {
    text += phase_row(diff.phases[i], style);
  }
  return text + more_line(diff.phases.size(), kMaxPhaseRows, "phases");
}

std::string stack_row(std::uint64_t before, std::uint64_t after) {
  return size_column(before) + size_column(after) + change_of(format_size_change(before, after)) +
         "  ";
}

std::string stack_lines(const Diff& diff,
                        std::size_t rank,
                        const Telling& telling,
                        const TextStyle& style) {
  const DiffStack& stack = diff.stacks[rank];
  const std::string row = stack_row(stack.before_bytes, stack.after_bytes);
  const std::size_t room = style.width - row.size();
  const std::string_view note = note_on(stack);
  const std::string suffix =
      std::string(lane_suffix(stack.lane)) + (note.empty() ? "" : "  (" + std::string(note) + ')');
  const bool has_callers = deserves_its_callers(diff, rank);
  std::string text =
      row +
      painted(style, Paint::kBold,
              row_text(style, stack.frames, has_callers ? telling.without_caller() : telling,
                       room - suffix.size())) +
      suffix + '\n';
  if (has_callers) {
    for (const std::string& line : chain_text(style, stack.frames, room)) {
      text += std::string(row.size(), ' ') + painted(style, Paint::kDim, line) + '\n';
    }
  }
  return text;
}

std::string remainder_line(const DiffRemainder& rest, std::string_view what) {
  return rest.stacks == 0 ? std::string()
                          : stack_row(rest.before_bytes, rest.after_bytes) +
                                format_count(rest.stacks) + ' ' + std::string(what) + '\n';
}

std::string unattributed_line(const Diff& diff) {
  const std::int64_t before = diff.before.unattributed_bytes;
  const std::int64_t after = diff.after.unattributed_bytes;
  return before == 0 && after == 0
             ? std::string()
             : number_column(format_signed_size(before)) +
                   number_column(format_signed_size(after)) +
                   change_of(format_signed_size(after - before)) + "  not attributed\n";
}

std::string stack_table(const Diff& diff, const TextStyle& style) {
  std::string text =
      title(style, stacks_title_of(diff)) +
      title(style, number_column("before") + number_column("after") + change_of("change"));
  const auto telling = telling_texts(diff.stacks);
  for (std::size_t rank = 0; rank < diff.stacks.size(); ++rank) {
    text += stack_lines(diff, rank, telling[rank], style);
  }
  return text + remainder_line(diff.more, "more that changed") +
         remainder_line(diff.unchanged, "that did not change") + unattributed_line(diff);
}

std::string loss_line(std::string_view side, const Report& report, const TextStyle& style) {
  const std::string text = std::string(side) + loss_text(report.loss);
  std::string lines = painted(style, loses_anything(report.loss) ? Paint::kWarning : Paint::kPlain,
                              fit(style, text, style.width)) +
                      '\n';
  constexpr std::size_t kMaxUnrecordedLines = 10;
  for (const std::string& line :
       unrecorded_lines(report.session, report.loss, kMaxUnrecordedLines)) {
    lines += std::string(side.size(), ' ') +
             fit_middle(style, printable(style, line), style.width - side.size()) + '\n';
  }
  return lines;
}

}  // namespace

std::string diff_text(const Diff& diff, const TextStyle& style) {
  std::string text = headline(diff, style) + warning_lines(diff, style) + '\n' +
                     load_lines("before", diff.before, style) +
                     load_lines("after", diff.after, style);
  for (const std::string& section :
       {value_table(diff, style), why_list(diff.before, style, "why before"),
        why_list(diff.after, style, "why after"), phase_table(diff, style),
        stack_table(diff, style),
        loss_line("lost before  ", diff.before, style) +
            loss_line("lost after   ", diff.after, style)}) {
    if (!section.empty()) {
      text += '\n' + section;
    }
  }
  return text;
}

}  // namespace tidemark::analyzer
