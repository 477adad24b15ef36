#include "analyzer/export/parts/frame_names.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::exports {

FrameNames::FrameNames(const trace::Definitions& definitions, Reading reading)
    : definitions_(definitions), reading_(reading) {
  for (const char* const name : {kUnknownStack, kSmallerStacks}) {
    names_.push_back({.function = name, .file = "", .module = ""});
    is_plumbing_.push_back(false);
  }
}

const std::vector<std::uint32_t>& FrameNames::of(trace::FrameId frame) {
  const auto [entry, is_new] = by_frame_.try_emplace(trace::index(frame));
  if (is_new) {
    for (analyzer::NamedFrame& name : analyzer::named_frame(definitions_, frame)) {
      entry->second.push_back(id_of(std::move(name)));
    }
  }
  return entry->second;
}

std::uint32_t FrameNames::id_of(analyzer::NamedFrame name) {
  const std::string text =
      reading_ == Reading::kFunctions
          ? name.function
          : name.function + '\n' + name.file + '\n' + std::to_string(name.line) + name.module;
  const auto [entry, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    is_plumbing_.push_back(analyzer::is_allocation_plumbing(name));
    names_.push_back(std::move(name));
  }
  return entry->second;
}

}  // namespace tidemark::exports
