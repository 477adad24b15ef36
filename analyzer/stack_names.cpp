#include "analyzer/stack_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

// A stack longer than this is a loop in a damaged table, not a stack.
constexpr std::size_t kDeepest = 4096;

// The object in the host. It may stand between two functions of libc, where the inner one was
// called by its name.
constexpr std::string_view kOwnModule = "libtidemark_preload.so";

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

NamedFrame unnamed(const trace::Frame& frame, const std::string& module) {
  NamedFrame named;
  named.module = module;
  named.named = false;
  named.function = module.empty() ? fmt::format("0x{:x}", frame.offset)
                                  : fmt::format("{}+0x{:x}", file_name(module), frame.offset);
  return named;
}

void append_frame(const trace::Definitions& definitions,
                  trace::FrameId id,
                  std::vector<NamedFrame>& stack) {
  const std::size_t i = trace::index(id);
  if (i >= definitions.frames.size()) {
    return;
  }
  const trace::Frame& frame = definitions.frames[i];
  const std::size_t module_index = trace::index(frame.module);
  const std::string module = module_index < definitions.modules.size()
                                 ? definitions.modules[module_index].path
                                 : std::string();
  if (file_name(module) == kOwnModule) {
    return;
  }
  if (i >= definitions.locations.size() || definitions.locations[i].empty()) {
    stack.push_back(unnamed(frame, module));
    return;
  }
  for (const trace::Location& location : definitions.locations[i]) {
    NamedFrame named = unnamed(frame, module);
    named.file = location.file;
    named.line = location.line;
    if (!location.function.empty()) {
      named.function = location.function;
      named.named = true;
    }
    stack.push_back(std::move(named));
  }
}

bool is_rust_hash(std::string_view text) {
  return text.size() == 19 && text.starts_with("::h") &&
         text.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
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

/// Removes parameter lists and what stands between template brackets.
std::string without_arguments(std::string_view function) {
  std::string name;
  for (std::size_t i = 0; i < function.size();) {
    if (const std::size_t kept = verbatim_length(function.substr(i)); kept > 0) {
      name += function.substr(i, kept);
      i += kept;
    } else if (function[i] == '<' && i > 0 && is_word(function[i - 1])) {
      name += "<>";
      i = after_closing(function, i);
    } else if (function[i] == '(') {
      i = after_closing(function, i);
    } else {
      name += function[i++];
    }
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
  const bool is_part_of_the_name = space == std::string::npos || name.front() == '<' ||
                                   name.find("operator") < space || name.find("(anonymous") < space;
  return is_part_of_the_name ? name : name.substr(space + 1);
}

}  // namespace

std::vector<NamedFrame> named_frame(const trace::Definitions& definitions, trace::FrameId frame) {
  std::vector<NamedFrame> named;
  append_frame(definitions, frame, named);
  return named;
}

std::vector<trace::FrameId> recorded_frames(const trace::Definitions& definitions,
                                            trace::StackId stack) {
  std::vector<trace::FrameId> frames;
  std::size_t node = trace::index(stack);
  while (node != 0 && node < definitions.stacks.size() && frames.size() < kDeepest) {
    frames.push_back(definitions.stacks[node].frame);
    node = trace::index(definitions.stacks[node].parent);
  }
  return frames;
}

std::vector<NamedFrame> named_stack(const trace::Definitions& definitions, trace::StackId stack) {
  std::vector<NamedFrame> named;
  for (const trace::FrameId frame : recorded_frames(definitions, stack)) {
    append_frame(definitions, frame, named);
  }
  return named;
}

std::string short_function(std::string_view function) {
  if (const std::size_t clone = function.find(" [clone"); clone != std::string_view::npos) {
    function = function.substr(0, clone);
  }
  constexpr std::size_t kHashLength = 19;
  if (function.size() > kHashLength &&
      is_rust_hash(function.substr(function.size() - kHashLength))) {
    function.remove_suffix(kHashLength);
  }
  if (function.ends_with(" const")) {
    function.remove_suffix(std::string_view(" const").size());
  }
  std::string name = without_return_type(without_unnamed_namespaces(without_arguments(function)));
  return name.empty() ? std::string(function) : name;
}

}  // namespace tidemark::analyzer
