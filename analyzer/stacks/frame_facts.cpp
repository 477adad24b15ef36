#include "analyzer/stacks/frame_facts.hpp"

#include "analyzer/stacks/asker_rules.hpp"

namespace tidemark::analyzer {

FrameFacts FrameFactsFinder::of(const NamedFrame& frame) {
  const auto next = static_cast<std::uint32_t>(modules_.size());
  return {.module = modules_.try_emplace(frame.module, next).first->second,
          .named = frame.named,
          .is_python = frame.is_python,
          .origin = python_origin(frame),
          .is_plumbing = is_allocation_plumbing(frame),
          .is_of_allocator = is_allocator(frame),
          .is_helper = is_buffer_helper(frame),
          .is_libc = is_of_libc(frame),
          .is_start = is_startup(frame),
          .is_entry = is_entry_point(frame),
          .is_unnamed_in_libc = is_unnamed_libc(frame),
          .is_call_of_python = is_python_call(frame),
          .role = entry_role(frame)};
}

}  // namespace tidemark::analyzer
