#include "analyzer/gate/output/gate_output.hpp"
#include "analyzer/gate/output/gate_stack_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kStacks = 5;

std::string upper(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return word;
}

/// Where a limit comes from, if the size alone does not show it.
std::string origin_text(const CheckResult& result) {
  if (const auto* const budget = std::get_if<Budget>(&result.check.bound)) {
    return budget->size.find('W') == std::string::npos ? std::string()
                                                       : fmt::format(" ({})", budget->size);
  }
  const auto& reference = std::get<Reference>(result.check.bound);
  const std::uint64_t base = result.baseline_bytes.value_or(0);
  const std::uint64_t allowance = result.limit_bytes - base;
  // Tolerance and slack do not add up: the larger one is the allowance.
  return allowance == reference.slack_bytes
             ? fmt::format(" (baseline {} + {})", format_size(base), format_size(allowance))
             : fmt::format(" (baseline {} + {}%)", format_size(base), reference.tolerance_percent);
}

std::string trouble_text(const CheckResult& result) {
  switch (result.verdict) {
    case Verdict::kRegression:
      return fmt::format(": {} too much", format_size(result.excess_bytes()));
    case Verdict::kInconclusive:
      return ": " + result.reason;
    case Verdict::kPass:
      break;
  }
  return {};
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

Paint paint_of(Verdict verdict) {
  return verdict == Verdict::kPass ? Paint::kBold : Paint::kWarning;
}

std::string verdict_line(Verdict verdict, const std::string& sentence, const TextStyle& style) {
  return painted(style, paint_of(verdict), upper(verdict_name(verdict))) + ' ' +
         printable(style, sentence) + '\n';
}

std::string stack_block(const CheckResult& result, const TextStyle& style) {
  TextStyle indented = style;
  indented.width -= std::min<std::size_t>(2, style.width);
  std::string text;
  for (const std::string& line : gate_stack_lines(result.stacks, indented, kStacks)) {
    text += "  " + line + '\n';
  }
  return text;
}

/// One of all checks: it is the same peak.
std::string why_block(const GateResult& gate, const TextStyle& style) {
  std::string text;
  for (const WhySentence& sentence : gate.why) {
    text += why_entry(sentence, style);
  }
  return text.empty() ? text : "why the peak is as high:\n" + text;
}

std::string files_block(const GateResult& gate, const TextStyle& style) {
  std::string text;
  for (const auto& [what, file] :
       {std::pair<std::string_view, const std::string&>("page:  ", gate.page),
        {"graph: ", gate.picture}}) {
    if (!file.empty()) {
      text += std::string(what) + printable(style, file) + '\n';
    }
  }
  return text;
}

std::string notes_block(const std::vector<std::string>& notes, const TextStyle& style) {
  std::string text;
  for (const std::string& note : notes) {
    text += "note: " + printable(style, note) + '\n';
  }
  return text;
}

}  // namespace

std::string check_sentence(const CheckResult& result) {
  std::string text;
  if (result.check.name != default_name(result.check)) {
    text = result.check.name + ": ";
  }
  text += subject_text(result.check.subject);
  if (result.measured_bytes) {
    text += ' ' + format_size(*result.measured_bytes);
  }
  if (!result.is_limit_known) {
    return text + " of at most " + std::get<Budget>(result.check.bound).size + trouble_text(result);
  }
  return text + " of at most " + format_size(result.limit_bytes) + origin_text(result) +
         trouble_text(result);
}

std::string gate_sentence(const GateResult& gate) {
  const std::string checks = counted(gate.checks.size(), "check", "checks");
  const std::size_t regressions = gate.count(Verdict::kRegression);
  const std::size_t inconclusive = gate.count(Verdict::kInconclusive);
  if (regressions + inconclusive == 0) {
    return checks + (gate.checks.size() == 1 ? " passes" : " pass");
  }
  std::string text;
  if (regressions != 0) {
    text = counted(regressions, "regression", "regressions");
  }
  if (inconclusive != 0) {
    text += fmt::format("{}{} inconclusive", text.empty() ? "" : ", ", inconclusive);
  }
  return text + " in " + checks;
}

std::string gate_text(const GateResult& gate, const TextStyle& style) {
  std::string text;
  for (const CheckResult& result : gate.checks) {
    text +=
        verdict_line(result.verdict, check_sentence(result), style) + stack_block(result, style);
  }
  return text + notes_block(gate.notes, style) +
         verdict_line(gate.verdict(), gate.trace + ": " + gate_sentence(gate), style);
}

std::string gate_explanation_text(const GateResult& gate, const TextStyle& style) {
  return why_block(gate, style) + files_block(gate, style) + notes_block(gate.unmade, style);
}

}  // namespace tidemark::analyzer
