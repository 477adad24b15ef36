#include "analyzer/stacks/regions/memory_regions.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <string>

namespace tidemark::analyzer {
namespace {

/// HotSpot maps what its heaps grow by with `os::commit_memory` and its kin.
bool is_of_hotspot(const NamedFrame& frame) {
  return frame.named && frame.function.starts_with("os::") &&
         file_name(frame.module).starts_with("libjvm.so");
}

/// What V8 maps pages with, and not all of its code: a script's function may map memory, too.
bool is_of_v8(const NamedFrame& frame) {
  return is_allocator(frame) && frame.function.starts_with("v8::");
}

/// Go's run-time system maps all of its heap by these; a program's own syscall.Mmap is another way.
bool is_of_go(const NamedFrame& frame) {
  return frame.named &&
         (frame.function == "runtime.mmap" || frame.function.starts_with("runtime.sys"));
}

RegionOwner owner_of(const NamedFrame& frame) {
  if (is_of_hotspot(frame)) {
    return {RegionOwner::Kind::kJava, "Java"};
  }
  if (is_of_v8(frame)) {
    return {RegionOwner::Kind::kV8, "V8"};
  }
  if (is_of_go(frame)) {
    return {RegionOwner::Kind::kGo, "Go"};
  }
  const std::string_view allocator = allocator_of(frame);
  return allocator.empty() ? RegionOwner{} : RegionOwner{RegionOwner::Kind::kAllocator, allocator};
}

}  // namespace

RegionOwner region_owner(const LoadedTrace& trace, trace::StackId stack) {
  // Between the mapping and the first function with a name that is known: `unix_mmap_prim`, and
  // what is inlined there.
  constexpr std::size_t kMaxSteps = 8;
  const auto& stacks = trace.recorded_stacks();
  std::string module;
  for (std::size_t steps = 0;
       stack != trace::kNoStack && trace::index(stack) < stacks.size() && steps < kMaxSteps;) {
    const trace::StackNode& node = stacks[trace::index(stack)];
    for (const NamedFrame& frame : named_frame(trace.definitions(), node.frame)) {
      if (frame.is_python || (!module.empty() && frame.module != module)) {
        return {};
      }
      module = frame.module;
      if (const RegionOwner owner = owner_of(frame); owner.kind != RegionOwner::Kind::kNone) {
        return owner;
      }
      ++steps;
    }
    stack = node.parent;
  }
  return {};
}

}  // namespace tidemark::analyzer
