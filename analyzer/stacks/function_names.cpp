// The names of functions, and what of them is worth its room.
#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

bool is_rust_hash(std::string_view text) {
  return text.size() == 19 && text.starts_with("::h") &&
         text.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
}

/// True for a qualified name of Python code that has no name of its own: `load.<locals>.<lambda>`.
bool is_python_name(std::string_view function) {
  constexpr std::array<std::string_view, 7> kWords{
      "<module>", "<locals>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"};
  return std::ranges::any_of(kWords, [function](std::string_view word) {
    const std::size_t at = function.find(word);
    return at == 0 || (at != std::string_view::npos && function[at - 1] == '.');
  });
}

/// How long the text at the start of `rest` is that must be kept as it stands, brackets and all:
/// `(anonymous namespace)`, `operator<<`, `operator()`.
std::size_t verbatim_length(std::string_view rest) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kOperator = "operator";
  if (rest.starts_with(kAnonymous)) {
    return kAnonymous.size();
  }
  if (!rest.starts_with(kOperator)) {
    return 0;
  }
  if (rest.substr(kOperator.size()).starts_with("()")) {
    return kOperator.size() + 2;
  }
  const std::size_t end = rest.find_first_not_of("<>=!+-*/%&|^~[]", kOperator.size());
  return std::min(end, rest.size());
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether template arguments open at `at`: behind a word, or behind `::` as in Rust's
/// `align_of::<f64>`. What is in brackets behind `::` may also be a name: `slice::<impl
/// [T]>::iter`, `main::<lambda(int)>`.
bool opens_arguments(std::string_view function, std::size_t at) {
  if (at == 0 || function[at] != '<') {
    return false;
  }
  const std::string_view rest = function.substr(at);
  const bool is_name =
      rest.starts_with("<impl ") || rest.starts_with("<lambda") || rest.starts_with("<unnamed");
  return is_word(function[at - 1]) || (function.substr(0, at).ends_with("::") && !is_name);
}

/// Position just after the bracket that closes the one at `open`.
std::size_t after_closing(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const bool is_arrow = i > 0 && text[i] == '>' && text[i - 1] == '-';
    if (text[i] == '<' || text[i] == '(' || text[i] == '{') {
      ++depth;
    } else if (!is_arrow && (text[i] == '>' || text[i] == ')' || text[i] == '}') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// Without what compilers add: a clone's suffix, a hash, `const`.
std::string_view plain_name(std::string_view function) {
  function = function.substr(0, function.find(" [clone"));
  constexpr std::size_t kHashLength = 19;
  if (function.size() > kHashLength &&
      is_rust_hash(function.substr(function.size() - kHashLength))) {
    function.remove_suffix(kHashLength);
  }
  if (function.ends_with(" const")) {
    function.remove_suffix(std::string_view(" const").size());
  }
  return function;
}

/// Removes parameter lists and what stands between template brackets.
std::string without_arguments(std::string_view function) {
  std::string name;
  for (const NamePart& part : name_parts(function)) {
    const bool is_template = part.is_bracket && part.text.front() == '<';
    name += is_template ? "<>" : part.is_bracket ? "" : part.text;
  }
  return name;
}

/// An unnamed namespace says only that a function is a file's own, and takes 23 columns to say it.
std::string without_unnamed_namespaces(std::string name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at = name.find(kUnnamed); at != std::string::npos;
       at = name.find(kUnnamed, at)) {
    name.erase(at, kUnnamed.size());
  }
  return name;
}

/// `void copy<>` -> `copy<>`: templates are demangled with their return type.
std::string without_return_type(std::string name) {
  const std::size_t space = name.rfind(' ');
  const std::size_t open = name.rfind('<', space);
  const bool is_in_brackets = open != std::string::npos && name.find('>', open) > space;
  const bool is_part_of_the_name = space == std::string::npos || name.front() == '<' ||
                                   is_in_brackets || name.find("operator") < space ||
                                   name.find("(anonymous") < space;
  return is_part_of_the_name ? name : name.substr(space + 1);
}

}  // namespace

std::vector<NamePart> name_parts(std::string_view function) {
  std::vector<NamePart> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < function.size();) {
    if (const std::size_t kept = verbatim_length(function.substr(i)); kept > 0) {
      i += kept;
    } else if (function[i] == '(' || opens_arguments(function, i)) {
      const std::size_t end = after_closing(function, i);
      parts.push_back({.text = function.substr(begin, i - begin)});
      parts.push_back({.text = function.substr(i, end - i), .is_bracket = true});
      begin = i = end;
    } else {
      ++i;
    }
  }
  parts.push_back({.text = function.substr(begin)});
  return parts;
}

std::string short_function(std::string_view function) {
  if (is_python_name(function)) {
    return std::string(function);
  }
  function = plain_name(function);
  std::string name = without_return_type(without_unnamed_namespaces(without_arguments(function)));
  return name.empty() ? std::string(function) : name;
}

}  // namespace tidemark::analyzer
