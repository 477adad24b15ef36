#include "analyzer/stacks/frame_facts.hpp"

#include "analyzer/stacks/asker_rules.hpp"

namespace tidemark::analyzer {

namespace {

FrameFacts facts_of_name(const NamedFrame& frame) {
  return {.named = frame.named,
          .is_python = frame.is_python,
          .is_plumbing = is_allocation_plumbing(frame),
          .is_of_allocator = is_allocator(frame),
          .is_helper = is_buffer_helper(frame),
          .is_start = is_startup(frame),
          .is_entry = is_entry_point(frame),
          .is_call_of_python = is_python_call(frame),
          .role = entry_role(frame)};
}

}  // namespace

FrameFacts FrameFactsFinder::of(const NamedFrame& frame) {
  FrameFacts facts = of_name(frame);
  const auto next = static_cast<std::uint32_t>(modules_.size());
  facts.module = modules_.try_emplace(frame.module, next).first->second;
  facts.origin = python_origin(frame);
  facts.is_libc = is_of_libc(frame);
  facts.is_unnamed_in_libc = is_unnamed_libc(frame);
  return facts;
}

FrameFacts FrameFactsFinder::of_name(const NamedFrame& frame) {
  if (!frame.named) {
    return facts_of_name(frame);  // An address is met once.
  }
  auto& known = frame.is_python ? of_python_ : of_native_;
  const auto [entry, is_new] = known.try_emplace(frame.function);
  if (is_new) {
    entry->second = facts_of_name(frame);
  }
  return entry->second;
}

}  // namespace tidemark::analyzer
