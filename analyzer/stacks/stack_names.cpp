#include "analyzer/stacks/stack_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

// The object in the host. It may be between two functions of libc, if the inner one was called by
// its name.
constexpr std::string_view kOwnModule = "libtidemark_preload.so";

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
  static const std::string kNoModule;
  const trace::Frame& frame = definitions.frames[i];
  const std::size_t module_index = trace::index(frame.module);
  const std::string& module = module_index < definitions.modules.size()
                                  ? definitions.modules[module_index].path
                                  : kNoModule;
  if (module.ends_with(kOwnModule) && file_name(module) == kOwnModule) {
    return;
  }
  if (i >= definitions.locations.size() || definitions.locations[i].empty()) {
    stack.push_back(unnamed(frame, module));
    return;
  }
  for (const trace::Location& location : definitions.locations[i]) {
    NamedFrame& named = stack.emplace_back();
    if (location.function.empty()) {
      named = unnamed(frame, module);
    } else {
      named.function = location.function;
      named.module = module;
    }
    named.is_python = frame.language == trace::FrameLanguage::kPython;
    named.file = location.file;
    named.line = location.line;
  }
}

}  // namespace

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::vector<NamedFrame> named_frame(const trace::Definitions& definitions, trace::FrameId frame) {
  std::vector<NamedFrame> named;
  append_frame(definitions, frame, named);
  return named;
}

std::vector<trace::FrameId> recorded_frames(const trace::Definitions& definitions,
                                            trace::StackId stack) {
  std::vector<trace::FrameId> frames;
  walk_frames(definitions, stack, [&frames](trace::FrameId frame) {
    frames.push_back(frame);
    return true;
  });
  return frames;
}

std::vector<NamedFrame> named_stack(const trace::Definitions& definitions, trace::StackId stack) {
  std::vector<NamedFrame> named;
  for (const trace::FrameId frame : recorded_frames(definitions, stack)) {
    append_frame(definitions, frame, named);
  }
  return named;
}

}  // namespace tidemark::analyzer
