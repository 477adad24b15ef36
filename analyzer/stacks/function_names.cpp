// The names of functions, shortened to what is worth its space.
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/text_style.hpp"

#include <fmt/format.h>

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

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

constexpr std::string_view kOperator = "operator";

/// Whether the word `operator` begins at `at`, not `operators` nor `my_operator`.
bool is_operator_word(std::string_view function, std::size_t at) {
  const std::size_t end = at + kOperator.size();
  return function.substr(at).starts_with(kOperator) && (at == 0 || !is_word(function[at - 1])) &&
         (end == function.size() || !is_word(function[end]));
}

/// How long the operator's own signs are at the start of `rest`: none in `operator bool`.
std::size_t sign_length(std::string_view rest) {
  constexpr auto kSigns = std::to_array<std::string_view>(
      {"<=>", "->*", "<<=", ">>=", "()", "[]", "->", "<<", ">>", "<=", ">=", "==",  "!=", "&&",
       "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<",   ">",  "=",
       "!",   "+",   "-",   "*",   "/",  "%",  "&",  "|",  "^",  "~",  ",",  "\"\""});
  const auto* const sign =
      std::ranges::find_if(kSigns, [rest](std::string_view one) { return rest.starts_with(one); });
  return sign == kSigns.end() ? 0 : sign->size();
}

/// How long the text at `at` is that must be kept as it stands, brackets and all: `(anonymous
/// namespace)`, `operator<<`, `operator()`, Go's `(*Reader)` in `bufio.(*Reader).Read`.
std::size_t verbatim_length(std::string_view function, std::size_t at) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  if (function.substr(at).starts_with(kAnonymous)) {
    return kAnonymous.size();
  }
  if (at > 0 && function[at - 1] == '.' && function.substr(at).starts_with("(*")) {
    return std::min(function.find(')', at), function.size() - 1) + 1 - at;
  }
  return is_operator_word(function, at)
             ? kOperator.size() + sign_length(function.substr(at + kOperator.size()))
             : 0;
}

/// Whether template arguments open at `at`: behind a word, behind an operator (`operator()<int>`,
/// `operator<< <int>`: `name_end` is where its signs end), or behind `::` as in Rust's
/// `align_of::<f64>`. What is in brackets behind `::` may also be a name: `slice::<impl
/// [T]>::iter`, `main::<lambda(int)>`.
bool opens_arguments(std::string_view function, std::size_t at, std::size_t name_end) {
  if (at == 0 || function[at] != '<') {
    return false;
  }
  const std::string_view rest = function.substr(at);
  const bool is_name =
      rest.starts_with("<impl ") || rest.starts_with("<lambda") || rest.starts_with("<unnamed");
  const bool is_behind_operator =
      name_end != 0 && (at == name_end || (at == name_end + 1 && function[name_end] == ' '));
  return is_behind_operator || is_word(function[at - 1]) || function[at - 1] == ']' ||
         (function.substr(0, at).ends_with("::") && !is_name);
}

/// Position just after the bracket that closes the one at `open`. Within parentheses `<` and `>`
/// may compare: `A<(b>c)>`.
std::size_t after_closing(std::string_view text, std::size_t open) {
  constexpr std::string_view kOpening = "<({";
  constexpr std::string_view kClosing = ">)}";
  std::string opened;
  for (std::size_t i = open; i < text.size(); ++i) {
    const bool is_arrow = i > 0 && text[i] == '>' && text[i - 1] == '-';
    const std::size_t closed = is_arrow ? std::string_view::npos : kClosing.find(text[i]);
    if (kOpening.find(text[i]) != std::string_view::npos) {
      opened += text[i];
    } else if (closed == 0) {
      opened.resize(opened.size() - (opened.back() == '<' ? 1 : 0));
    } else if (closed != std::string_view::npos) {
      const std::size_t partner = opened.rfind(kOpening[closed]);
      opened.resize(partner == std::string::npos ? opened.size() : partner);
    }
    if (opened.empty()) {
      return i + 1;
    }
  }
  return text.size();
}

/// Without what compilers add: a clone's suffix, a condition, a hash.
std::string_view plain_name(std::string_view function) {
  function = function.substr(0, function.find(" [clone"));
  function = function.substr(0, function.find(" (."));
  if (const std::size_t condition = function.find(") requires "); condition != function.npos) {
    function = function.substr(0, condition + 1);
  }
  constexpr std::size_t kHashLength = 19;
  if (function.size() > kHashLength &&
      is_rust_hash(function.substr(function.size() - kHashLength))) {
    function.remove_suffix(kHashLength);
  }
  return function;
}

/// The part after a parameter list that belongs to it: `const`, `&`, `&&`, `noexcept`.
std::string_view without_qualifiers(std::string_view text) {
  constexpr auto kQualifiers = std::to_array<std::string_view>(
      {" const", " volatile", " restrict", " noexcept", " &&", " &"});
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view qualifier : kQualifiers) {
      if (text.starts_with(qualifier) &&
          (text.size() == qualifier.size() || !is_word(text[qualifier.size()]))) {
        text.remove_prefix(qualifier.size());
        found = true;
      }
    }
  }
  return text;
}

/// Removes parameter lists with their qualifiers, and the content of template brackets.
std::string without_arguments(std::string_view function) {
  std::string name;
  char opened = 0;
  for (const NamePart& part : name_parts(function)) {
    if (!part.is_bracket) {
      name += opened == '(' ? without_qualifiers(part.text) : part.text;
    } else if (part.text.front() == '<') {
      name += "<>";
    }
    opened = part.is_bracket ? part.text.front() : 0;
  }
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

/// Whether a parameter list opens at `at`: behind a name or its template arguments, not behind
/// `decltype`.
bool opens_parameters(std::string_view function, std::size_t at) {
  return at > 0 && function[at] == '(' &&
         (is_word(function[at - 1]) || function[at - 1] == '>' || function[at - 1] == ']') &&
         !function.substr(0, at).ends_with("decltype");
}

void erase_all(std::string& name, std::string_view text) {
  for (std::size_t at = name.find(text); at != std::string::npos; at = name.find(text, at)) {
    name.erase(at, text.size());
  }
}

/// `to_string[abi:cxx11]`: which of two layouts a library has says nothing about a function.
void erase_abi_tags(std::string& name) {
  constexpr std::string_view kTag = "[abi:";
  for (std::size_t at = name.find(kTag); at != std::string::npos; at = name.find(kTag, at)) {
    const std::size_t end = name.find(']', at);
    name.erase(at, end == std::string::npos ? end : end + 1 - at);
  }
}

/// Where each scope of the name begins, outside of brackets. The signs of operators are no
/// brackets.
std::vector<std::size_t> scope_begins(std::string_view name) {
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 0; i < name.size();) {
    if (const std::size_t kept = verbatim_length(name, i); kept > 0) {
      i += kept;
    } else if (name[i] == '<' || name[i] == '(' || name[i] == '{') {
      i = after_closing(name, i);
    } else if (name.substr(i).starts_with("::")) {
      i += 2;
      begins.push_back(i);
    } else {
      ++i;
    }
  }
  return begins;
}

/// `<alloc::vec::Vec<> as core::clone::Clone>::clone` -> `<Vec<> as Clone>::clone`: removes words
/// before `::` inside brackets.
std::string without_inner_scopes(std::string_view name) {
  std::string shorter;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_arrow = name[i] == '>' && i > 0 && (name[i - 1] == '-' || name[i - 1] == '=');
    const bool begins_word = is_word(name[i]) && (i == 0 || !is_word(name[i - 1]));
    if (const std::size_t kept = depth == 0 ? verbatim_length(name, i) : 0; kept > 0) {
      shorter += name.substr(i, kept);
      i += kept - 1;
      continue;
    }
    if (begins_word && depth > 0) {
      std::size_t end = i;
      while (end < name.size() && is_word(name[end])) {
        ++end;
      }
      if (name.substr(end).starts_with("::")) {
        i = end + 1;
        continue;
      }
    }
    if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>' && !is_arrow && depth > 0) {
      --depth;
    }
    shorter += name[i];
  }
  return shorter;
}

}  // namespace

std::vector<NamePart> name_parts(std::string_view function) {
  std::vector<NamePart> parts;
  std::size_t begin = 0;
  std::size_t operator_end = 0;
  for (std::size_t i = 0; i < function.size();) {
    if (const std::size_t kept = verbatim_length(function, i); kept > 0) {
      operator_end = function[i] == '(' ? operator_end : i + kept;
      i += kept;
    } else if (function[i] == '(' || opens_arguments(function, i, operator_end)) {
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

std::string_view without_return_type(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  if (function.find(' ') == std::string_view::npos) {
    return function;
  }
  std::size_t begin = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    const bool is_arrow = c == '>' && i > 0 && function[i - 1] == '-';
    if (depth == 0 && function.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && (is_operator_word(function, i) || opens_parameters(function, i))) {
      break;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (depth > 0 && !is_arrow && (c == '>' || c == ')' || c == '}' || c == ']')) {
      --depth;
    } else if (depth == 0 && c == ' ') {
      // In `operator new`, `operator unsigned long` and `operator<< <>` it is part of the name.
      begin = i + 1;
    }
  }
  return function.substr(begin);
}

std::string short_function(std::string_view function) {
  if (is_python_name(function)) {
    return std::string(function);
  }
  function = plain_name(function);
  std::string name = without_arguments(function);
  erase_abi_tags(name);
  // An unnamed namespace says only that a function is a file's own, in 23 columns.
  erase_all(name, "(anonymous namespace)::");
  name.erase(0, name.size() - without_return_type(name).size());
  return name.empty() ? std::string(function) : name;
}

std::string short_name(const NamedFrame& frame) {
  if (frame.named) {
    return short_function(frame.function);
  }
  const std::size_t place = std::min(frame.function.rfind("+0x"), frame.function.size());
  std::size_t end = std::min(frame.function.find(".cpython-"), frame.function.find(".abi3.so"));
  end = end == 0 ? place : std::min(end, place);
  return frame.function.substr(0, end) + frame.function.substr(place);
}

std::string python_file_name(const std::string& path) {
  const std::string name = file_name(path);
  const bool tells_nothing = name == "__init__.py" || name == "__main__.py";
  if (!tells_nothing || name.size() == path.size()) {
    return name;
  }
  return file_name(path.substr(0, path.size() - name.size() - 1)) + '/' + name;
}

bool needs_its_file(const NamedFrame& frame) {
  return frame.is_python && !frame.file.empty() && frame.function.ends_with('>') &&
         is_python_name(frame.function);
}

std::string lone_name(const NamedFrame& frame) {
  return needs_its_file(frame) ? fmt::format("{} ({}:{})", short_name(frame),
                                             python_file_name(frame.file), frame.line)
                               : short_name(frame);
}

std::string lineless_short_name(const NamedFrame& frame) {
  return needs_its_file(frame)
             ? fmt::format("{} ({})", short_name(frame), python_file_name(frame.file))
             : short_name(frame);
}

std::string last_parts(std::string_view name) {
  std::vector<std::size_t> begins = scope_begins(name);
  // `drop_in_place::<>`: arguments are not a part of their own.
  if (begins.size() > 1 && name.substr(begins.back()).starts_with('<')) {
    begins.pop_back();
  }
  const std::size_t count = begins.size();
  // A closure, or a function within a method, also needs the type that the method is of.
  const bool is_in_method = count > 2 && name[begins[count - 3]] == '<';
  const std::size_t parts = std::min<std::size_t>(count, is_in_method ? 3 : 2);
  return without_inner_scopes(name.substr(begins[count - parts]));
}

std::string with_fewer_scopes(std::string_view name, std::size_t width) {
  while (width_of(name) > width) {
    const std::size_t scope = name.find("::");
    if (scope == std::string_view::npos ||
        name.substr(0, scope).find_first_of("<( ") != std::string_view::npos) {
      return without_inner_scopes(name);
    }
    name.remove_prefix(scope + 2);
  }
  return std::string(name);
}

}  // namespace tidemark::analyzer
