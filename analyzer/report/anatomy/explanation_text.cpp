#include "analyzer/report/anatomy/explanation_text.hpp"

#include "analyzer/findings/explanations.hpp"
#include "analyzer/text/nearest_word.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxColumns = 80;
constexpr std::size_t kIndent = 2;

std::string paragraph(const TextStyle& style, std::string_view text) {
  std::string lines;
  for (const std::string& line :
       wrapped(style, text, std::min(style.width, kMaxColumns) - kIndent)) {
    lines += std::string(kIndent, ' ') + line + '\n';
  }
  return lines;
}

std::string part(const TextStyle& style, std::string_view heading, std::string_view text) {
  return '\n' + painted(style, Paint::kBold, heading) + '\n' + paragraph(style, text);
}

std::string code(const char* example) {
  std::istringstream text(example);
  std::string lines;
  for (std::string line; std::getline(text, line);) {
    lines += std::string(2 * kIndent, ' ') + line + '\n';
  }
  return lines.empty() ? lines : '\n' + lines;
}

std::string whole_text(const Explanation& about, const TextStyle& style) {
  return painted(style, Paint::kBold,
                 fmt::format("{}: {}", finding_name(about.kind), about.summary)) +
         '\n' + part(style, "What it means", about.meaning) +
         part(style, "How it is told", about.evidence) +
         part(style, "What is not blamed", about.not_blamed) +
         part(style, fmt::format("What helps: {}", about.advice), about.remedies) +
         code(about.example);
}

Error unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const Explanation& about : explanations()) {
    names.emplace_back(finding_name(about.kind));
  }
  constexpr std::size_t kMaxTyped = 100;  // Longer words are no mistyped names.
  return Error{ErrorCode::kUsage,
               fmt::format("there is no finding '{}'; the nearest name is '{}', and 'tidemark "
                           "explain' lists all",
                           name, nearest_word(name.substr(0, kMaxTyped), names))};
}

/// `python_arenas, regions and refused`.
std::string kinds_without_model() {
  std::vector<std::string> names;
  for (const Explanation& about : explanations()) {
    if (!about.needs_model) {
      names.emplace_back(finding_name(about.kind));
    }
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace

std::string explanation_list(const TextStyle& style) {
  std::size_t width = 0;
  for (const Explanation& about : explanations()) {
    width = std::max(width, width_of(finding_name(about.kind)));
  }
  std::string text = "What a report can say about a peak:\n\n";
  for (const Explanation& about : explanations()) {
    text += "  " + painted(style, Paint::kBold, left(finding_name(about.kind), width)) + "  " +
            about.summary + '\n';
  }
  return text + fmt::format(
                    "\nAll but {} are about a loaded model.\n"
                    "tidemark explain NAME says how it is told, and what helps.\n",
                    kinds_without_model());
}

Result<std::string> explanation_text(std::string_view name, const TextStyle& style) {
  const auto all = explanations();
  const auto found = std::ranges::find_if(
      all, [name](const Explanation& about) { return finding_name(about.kind) == name; });
  if (found == all.end()) {
    return unknown(name);
  }
  return whole_text(*found, style);
}

}  // namespace tidemark::analyzer
