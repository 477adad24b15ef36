#include "analyzer/export/stacks/frame_names.hpp"

namespace tidemark::exports {

FrameNames::FrameNames(const trace::Definitions& definitions, Reading reading)
    : table_(reading), frames_(definitions, table_) {
  for (const char* const name : {kUnknownStack, kSmallerStacks}) {
    table_.id_of({.function = name, .file = "", .module = ""});
    is_plumbing_.push_back(false);
  }
}

std::span<const std::uint32_t> FrameNames::of(trace::FrameId frame) {
  const auto ids = frames_.of(frame);
  while (is_plumbing_.size() < table_.size()) {
    const auto next = static_cast<std::uint32_t>(is_plumbing_.size());
    is_plumbing_.push_back(analyzer::is_allocation_plumbing(table_[next]));
  }
  return ids;
}

}  // namespace tidemark::exports
