#include "analyzer/stack_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

// A stack longer than this is a loop in a damaged table, not a stack.
constexpr std::size_t kDeepest = 4096;

constexpr std::array<std::string_view, 26> kPlumbingNames{"malloc",
                                                          "calloc",
                                                          "realloc",
                                                          "reallocarray",
                                                          "memalign",
                                                          "aligned_alloc",
                                                          "posix_memalign",
                                                          "valloc",
                                                          "pvalloc",
                                                          "strdup",
                                                          "strndup",
                                                          "mmap",
                                                          "mmap64",
                                                          "mremap",
                                                          "brk",
                                                          "sbrk",
                                                          "xmalloc",
                                                          "xrealloc",
                                                          "xcalloc",
                                                          "_int_malloc",
                                                          "__rust_alloc",
                                                          "__rust_realloc",
                                                          "__rdl_alloc",
                                                          "__rdl_realloc",
                                                          "__rust_alloc_zeroed",
                                                          "__rdl_alloc_zeroed"};

constexpr std::array<std::string_view, 27> kPlumbingPrefixes{"operator new",
                                                             "std::",
                                                             "__gnu_cxx::",
                                                             "void std::",
                                                             "__libc_malloc",
                                                             "__libc_calloc",
                                                             "__libc_re",
                                                             "__GI___libc_",
                                                             "PyMem_",
                                                             "PyObject_Malloc",
                                                             "PyObject_Re",
                                                             "PyObject_Calloc",
                                                             "_PyObject_GC_",
                                                             "_PyMem_",
                                                             "pymalloc_",
                                                             "alloc::",
                                                             "<alloc::",
                                                             "hashbrown::raw",
                                                             "c10::alloc_cpu",
                                                             "at::detail::empty",
                                                             "c10::StorageImpl",
                                                             "je_",
                                                             "mi_",
                                                             "tc_",
                                                             "g_malloc",
                                                             "core::alloc::",
                                                             "__malloc"};

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

bool is_allocation_plumbing(const NamedFrame& frame) {
  if (!frame.named) {
    return false;
  }
  const std::string_view name = frame.function;
  const std::string_view bare = name.substr(0, name.find('('));
  return std::ranges::find(kPlumbingNames, bare) != kPlumbingNames.end() ||
         std::ranges::any_of(kPlumbingPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

std::size_t asking_frame(const std::vector<NamedFrame>& stack) {
  const auto found = std::ranges::find_if_not(stack, is_allocation_plumbing);
  if (found == stack.end()) {
    return 0;
  }
  // An address says little; a name nearby says who it was on behalf of.
  constexpr std::ptrdiff_t kNearby = 4;
  const auto near_end = found + std::min(kNearby, stack.end() - found);
  const auto named = std::find_if(found, near_end, [](const NamedFrame& frame) {
    return frame.named && !is_allocation_plumbing(frame);
  });
  return static_cast<std::size_t>((named == near_end ? found : named) - stack.begin());
}

bool is_startup(const NamedFrame& frame) {
  constexpr std::array<std::string_view, 6> kNames{
      "_start", "__libc_start_main", "clone", "__libc_start_call_main", "start_thread", "clone3"};
  const std::string name = frame.function.substr(0, frame.function.find('@'));
  return std::ranges::find(kNames, name) != kNames.end() ||
         name.starts_with("__libc_start_main_impl");
}

std::size_t startup_begin(const std::vector<NamedFrame>& stack) {
  std::size_t end = stack.size();
  for (std::size_t i = stack.size(); i > 0 && stack.size() - i < kStartupDepth; --i) {
    end = is_startup(stack[i - 1]) ? i - 1 : end;
  }
  return end;
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
