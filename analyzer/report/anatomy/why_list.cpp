#include "analyzer/report/anatomy/why_list.hpp"

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/text/table_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxFindings = 6;

std::string list_entry(const TextStyle& style,
                       std::string_view mark,
                       const std::string& text,
                       std::size_t indent = 2) {
  const std::size_t room = style.width - indent - 2;
  std::string lines;
  for (const std::string& line : wrapped(style, printable(style, text), room)) {
    lines +=
        std::string(indent, ' ') + (lines.empty() ? std::string(mark) + ' ' : "  ") + line + '\n';
  }
  return lines;
}

std::string_view mark_of(WhyKind kind) {
  switch (kind) {
    case WhyKind::kFinding:
    case WhyKind::kGroup:
      return "-";
    case WhyKind::kOpen:
      return "?";
    case WhyKind::kTogether:
    case WhyKind::kFloor:
      return "=";
    case WhyKind::kLeftOut:
      return "!";
    case WhyKind::kAdvice:
      break;
  }
  return " ";
}

/// Which findings `tidemark explain` knows by which names.
std::string names_entry(const Report& report, const TextStyle& style) {
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const Finding& finding : report.anatomy.findings) {
    if (finding.kind != FindingKind::kRefused && ++count <= kMaxFindings &&
        !advice_text(report, finding).empty()) {
      names.emplace_back(finding_name(finding.kind));
    }
  }
  return names.empty() ? std::string()
                       : list_entry(style, ">",
                                    fmt::format("tidemark explain NAME tells more: {}.",
                                                fmt::join(names, ", ")));
}

}  // namespace

std::vector<WhySentence> why_sentences(const Report& report, bool with_refusals) {
  std::vector<WhySentence> sentences;
  const auto add = [&sentences](WhyKind kind, std::string text) {
    if (!text.empty()) {
      sentences.push_back({kind, std::move(text)});
    }
  };
  std::size_t count = 0;
  for (const Finding& finding : report.anatomy.findings) {
    if ((with_refusals || finding.kind != FindingKind::kRefused) && ++count <= kMaxFindings) {
      add(WhyKind::kFinding, finding_text(report, finding));
      add(WhyKind::kAdvice, advice_text(report, finding));
    }
  }
  add(WhyKind::kTogether, together_text(report));
  if (std::string open = unexplained_text(report); !open.empty()) {
    add(WhyKind::kOpen, std::move(open));
    for (const PeakGroup& group : report.anatomy.groups) {
      add(WhyKind::kGroup, group_text(report, group));
    }
  }
  add(WhyKind::kFloor, floor_text(report));
  add(WhyKind::kLeftOut, left_out_text(report));
  return sentences;
}

std::string why_entry(const WhySentence& sentence, const TextStyle& style) {
  constexpr std::size_t kGroupIndent = 4;
  return sentence.kind == WhyKind::kGroup
             ? list_entry(style, mark_of(sentence.kind), sentence.text, kGroupIndent)
             : list_entry(style, mark_of(sentence.kind), sentence.text);
}

std::string why_list(const Report& report, const TextStyle& style, std::string_view heading) {
  std::string entries;
  for (const WhySentence& sentence : why_sentences(report, false)) {
    entries += why_entry(sentence, style);
  }
  entries += names_entry(report, style);
  return entries.empty() ? entries : title(style, heading) + entries;
}

}  // namespace tidemark::analyzer
