#include "analyzer/export/stacks/caller_walk.hpp"

namespace tidemark::exports {
namespace {

// A stack longer than this is a loop in a damaged table, not a stack.
constexpr std::uint32_t kMaxCallerDepth = 4096;

}  // namespace

CallerWalk::CallerWalk(FrameNames& names, trace::StackId stack)
    : names_(&names), node_(static_cast<std::uint32_t>(trace::index(stack))) {
  node_ = node_ < names.definitions().stacks.size() ? node_ : 0;
  if (node_ == 0) {
    return;
  }
  skip_nameless_frames();
  if (is_at_end()) {  // Nothing of it can be named: as good as no stack.
    node_ = steps_ = 0;
    return;
  }
  const CallerWalk innermost = *this;
  while (!is_at_end() && names.is_plumbing(place().name)) {
    advance();
  }
  if (is_at_end()) {
    *this = innermost;
  }
}

Place CallerWalk::place() const {
  if (node_ == 0) {
    return {};
  }
  const trace::FrameId frame = names_->definitions().stacks[node_].frame;
  return {.name = names_->of(frame)[inline_], .frame = frame, .has_frame = true};
}

void CallerWalk::advance() {
  if (node_ == 0 || ++steps_ >= kMaxCallerDepth) {
    steps_ = kEnded;
    return;
  }
  ++inline_;
  skip_nameless_frames();
}

void CallerWalk::skip_nameless_frames() {
  const auto& stacks = names_->definitions().stacks;
  while (inline_ >= names_->of(stacks[node_].frame).size()) {
    node_ = static_cast<std::uint32_t>(trace::index(stacks[node_].parent));
    inline_ = 0;
    if (node_ == 0 || node_ >= stacks.size() || ++steps_ >= kMaxCallerDepth) {
      node_ = 0;
      steps_ = kEnded;
      return;
    }
  }
}

}  // namespace tidemark::exports
