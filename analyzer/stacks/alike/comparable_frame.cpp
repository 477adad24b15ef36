#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// `torch` of `/usr/lib/python3/dist-packages/torch/serialization.py`; empty outside packages.
std::string package_of(const std::string& path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (const auto at = path.rfind(folder); at != std::string::npos) {
      const std::string rest = path.substr(at + folder.size());
      return rest.substr(0, rest.find('/'));
    }
  }
  return {};
}

constexpr std::array<std::string_view, 8> kCloneWords{"constprop", "part",       "isra", "cold",
                                                      "lto_priv",  "localalias", "llvm", "clone"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Takes the last `.word` or `.word.0` off, when the word is a compiler's.
bool take_clone_word(std::string_view& function) {
  const std::size_t last = function.rfind('.');
  if (last == std::string_view::npos || last == 0) {
    return false;
  }
  std::size_t dot = last;
  if (is_number(function.substr(last + 1))) {
    dot = function.rfind('.', last - 1);
  }
  const std::string_view word =
      dot == std::string_view::npos
          ? std::string_view()
          : function.substr(dot + 1, (dot == last ? function.size() : last) - dot - 1);
  if (dot == 0 || std::ranges::find(kCloneWords, word) == kCloneWords.end()) {
    return false;
  }
  function = function.substr(0, dot);
  return true;
}

std::set<std::string> module_names(const trace::Definitions& definitions) {
  std::set<std::string> names;
  for (const trace::Module& module : definitions.modules) {
    names.insert(module_name(module.path));
  }
  return names;
}

}  // namespace

std::string_view without_clone_suffix(std::string_view function) {
  function = function.substr(0, function.find(" [clone"));
  // A symbol's version; an operator or an argument list has no @ in it.
  function = function.substr(0, function.find('@'));
  while (take_clone_word(function)) {
  }
  return function;
}

std::string module_name(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t version = name.find(".so.");
  return std::string(name.substr(0, version == std::string_view::npos ? version : version + 3));
}

std::string module_text(const NamedFrame& frame) {
  if (!frame.is_python) {
    return frame.module.empty() ? "code outside every module" : module_name(frame.module);
  }
  switch (python_origin(frame)) {
    case PythonOrigin::kPackage:
      return package_of(frame.file);
    case PythonOrigin::kStandard:
      return "Python's own library";
    default:
      return file_name(frame.file);
  }
}

std::string lineless_name(const NamedFrame& frame) {
  if (frame.is_python) {
    return frame.function + " (" + file_name(frame.file) + ')';
  }
  return frame.named ? short_function(without_clone_suffix(frame.function))
                     : '[' + module_name(frame.module) + ']';
}

FrameTable::FrameTable(const trace::Definitions& before, const trace::Definitions& after) {
  const auto after_names = module_names(after);
  for (const std::string& name : module_names(before)) {
    if (after_names.contains(name)) {
      shared_modules_.insert(name);
    }
  }
}

std::uint32_t FrameTable::id(std::string text) {
  const auto next = static_cast<std::uint32_t>(ids_.size());
  return ids_.try_emplace(std::move(text), next).first->second;
}

std::string FrameTable::name_of(const NamedFrame& frame) const {
  if (frame.is_python) {
    return lineless_name(frame);
  }
  if (frame.named) {
    return std::string(without_clone_suffix(frame.function));
  }
  if (frame.module.empty()) {
    return "[?]";
  }
  const std::string module = module_name(frame.module);
  return shared_modules_.contains(module) ? '[' + module + ']' : "[*]";
}

ComparableFrame FrameTable::add(const NamedFrame& frame, const std::string& build) {
  const std::string name = name_of(frame);
  ComparableFrame comparable;
  comparable.is_plumbing = is_allocation_plumbing(frame);
  comparable.is_startup = is_startup(frame);
  comparable.is_python = frame.is_python;
  comparable.is_standard = frame.is_python && python_origin(frame) == PythonOrigin::kStandard;
  comparable.is_script = frame.is_python && frame.function == "<module>";
  // Two modules without a build id may have the same function.
  const std::string role{comparable.is_plumbing ? 'p' : '-', comparable.is_startup ? 's' : '-',
                         comparable.is_python ? 'y' : '-'};
  comparable.site = id(build + '\n' + frame.function + '\n' + frame.file + ':' +
                       std::to_string(frame.line) + '\n' + name + '\n' + role);
  comparable.name = id(name);
  comparable.short_name = id(frame.named && !frame.is_python ? short_function(name) : name);
  comparable.line = frame.line;
  return comparable;
}

ComparableTree::Path ComparableTree::called_by(const Path& caller, const ComparableFrame& frame) {
  const bool may_be_startup = caller.depth < kStartupDepth;
  return {.node = may_be_startup && frame.is_startup ? kRoot : child(caller.node, frame),
          .depth = may_be_startup ? caller.depth + 1 : caller.depth};
}

std::uint32_t ComparableTree::node_of(std::span<const ComparableFrame> frames) {
  std::uint32_t node = kRoot;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    node = child(node, *frame);
  }
  return node;
}

std::uint32_t ComparableTree::child(std::uint32_t caller, const ComparableFrame& frame) {
  const auto next = static_cast<std::uint32_t>(frames_.size());
  const auto [number, is_new] = numbers_.try_emplace(frame.site, next);
  if (is_new) {
    frames_.push_back(frame);
  }
  return nodes_.of(caller, number->second).node;
}

}  // namespace tidemark::analyzer
