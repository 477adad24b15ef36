#include "analyzer/stacks/telling_arguments.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::analyzer {
namespace {

using Texts = std::vector<std::string_view>;

// Brackets within brackets: deeper ones are shown as they are.
constexpr std::size_t kMaxBracketDepth = 8;

Texts brackets_of(std::string_view name) {
  Texts brackets;
  for (const NamePart& part : name_parts(name)) {
    if (part.is_bracket) {
      brackets.push_back(part.text);
    }
  }
  return brackets;
}

/// All but the brackets: `std::vector<float>` -> `std::vector`.
std::string text_around(std::string_view name) {
  std::string text;
  for (const NamePart& part : name_parts(name)) {
    text += part.is_bracket ? std::string_view() : part.text;
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// `<a, b<c, d> >` -> `a`, `b<c, d>`.
Texts arguments_in(std::string_view bracket) {
  Texts arguments;
  std::size_t depth = 0;
  std::size_t begin = 1;
  for (std::size_t i = 0; i < bracket.size(); ++i) {
    const char c = bracket[i];
    const bool is_arrow = c == '>' && i > 0 && bracket[i - 1] == '-';
    depth += c == '<' || c == '(' || c == '{' ? 1 : 0;
    depth -= !is_arrow && depth > 0 && (c == '>' || c == ')' || c == '}') ? 1 : 0;
    const bool is_end = i + 1 == bracket.size();
    if (is_end || (c == ',' && depth == 1)) {
      arguments.push_back(trimmed(bracket.substr(begin, std::max(i, begin) - begin)));
      begin = i + 1;
    }
  }
  return arguments;
}

/// Where `texts` first differs from `other`; its last place if `other` is only longer.
std::optional<std::size_t> first_difference(const Texts& texts, const Texts& other) {
  if (texts.empty() || texts == other) {
    return std::nullopt;
  }
  const auto at = std::ranges::mismatch(texts, other).in1 - texts.begin();
  return std::min(static_cast<std::size_t>(at), texts.size() - 1);
}

/// For each place, what those of `others` have that first differ there from `texts`.
std::vector<Texts> rivals_by_place(const Texts& texts, const std::vector<Texts>& others) {
  std::vector<Texts> rivals(texts.size());
  for (const Texts& other : others) {
    if (const auto at = first_difference(texts, other)) {
      rivals[*at].push_back(*at < other.size() ? other[*at] : std::string_view());
    }
  }
  return rivals;
}

template <typename Split>
std::vector<Texts> split_all(const Texts& texts, Split split) {
  std::vector<Texts> parts;
  parts.reserve(texts.size());
  for (const std::string_view text : texts) {
    parts.push_back(split(text));
  }
  return parts;
}

std::string told_argument(std::string_view argument, const Texts& all, std::size_t depth);

/// One bracket with the arguments by which it differs from those of `others`.
std::string told_bracket(std::string_view bracket, const Texts& others, std::size_t depth) {
  const Texts arguments = arguments_in(bracket);
  const auto rivals = rivals_by_place(arguments, split_all(others, arguments_in));
  std::string told(1, bracket.front());
  bool skips = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (rivals[i].empty()) {
      skips = true;
      continue;
    }
    told += told.size() > 1 ? ", " : "";
    told += std::exchange(skips, false) ? ".., " : "";
    told += told_argument(arguments[i], rivals[i], depth);
  }
  return told + bracket.back();
}

/// An argument without the content of its own brackets, unless only that distinguishes it.
std::string told_argument(std::string_view argument, const Texts& all, std::size_t depth) {
  if (depth == kMaxBracketDepth) {
    return std::string(argument);
  }
  Texts others = all;
  std::erase_if(others, [head = text_around(argument)](std::string_view other) {
    return text_around(other) != head;
  });
  const auto rivals = rivals_by_place(brackets_of(argument), split_all(others, brackets_of));
  std::string told;
  std::size_t bracket = 0;
  for (const NamePart& part : name_parts(argument)) {
    if (!part.is_bracket) {
      told += part.text;
      continue;
    }
    told += rivals[bracket].empty() ? std::string{part.text.front(), part.text.back()}
                                    : told_bracket(part.text, rivals[bracket], depth + 1);
    ++bracket;
  }
  return told;
}

}  // namespace

std::string telling_arguments(std::string_view function,
                              const std::vector<std::string_view>& others) {
  const Texts brackets = brackets_of(function);
  const auto rivals = rivals_by_place(brackets, split_all(others, brackets_of));
  std::string told;
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    if (!rivals[i].empty()) {
      told += (told.empty() ? "with " : " ") + told_bracket(brackets[i], rivals[i], 0);
    }
  }
  return told;
}

}  // namespace tidemark::analyzer
