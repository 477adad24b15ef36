#include "analyzer/report/parts/markdown_parts.hpp"

#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/markdown.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

constexpr TextStyle kStyle{.width = 100, .colour = false, .utf8 = true};

std::string_view without_indent(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

}  // namespace

std::string md_stack(const std::vector<NamedFrame>& frames,
                     const Telling& telling,
                     std::string_view note,
                     bool with_callers) {
  std::string cell = md_code(
      row_text(kStyle, frames, with_callers ? telling.without_caller() : telling, kStyle.width));
  if (!note.empty()) {
    cell += ' ' + md_text(without_indent(note));
  }
  if (!with_callers) {
    return cell;
  }
  for (const std::string& line : chain_text(kStyle, frames, kStyle.width)) {
    cell += "<br>" + md_code(without_indent(line));
  }
  return cell;
}

std::string md_warnings(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) {
    text += "> **" + md_text(printable(kStyle, warning)) + "**\n\n";
  }
  return text;
}

std::string md_load(const Report& report) {
  std::string text = md_code(printable(kStyle, command_of(report))) + ", " + outcome_of(report);
  if (const std::string refusals = refusals_of(report); !refusals.empty()) {
    text += "; **" + refusals + "**";
  }
  return text;
}

std::string md_unrecorded(const Report& report, std::string_view side) {
  constexpr std::size_t kMaxUnrecordedLines = 10;
  std::string lines;
  for (const std::string& line :
       unrecorded_lines(report.session, report.loss, kMaxUnrecordedLines)) {
    lines += "\n- " + std::string(side) + "not recorded: " + md_text(line);
  }
  return lines.empty() ? lines : lines + '\n';
}

std::string md_indented(std::string_view name) {
  return (name.starts_with(' ') ? "&emsp;" : "") + md_text(without_indent(name));
}

}  // namespace tidemark::analyzer
