#include "analyzer/stacks/regions/memory_regions.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::analyzer {
namespace {

/// HotSpot maps what its heaps grow by with `os::commit_memory` and its kin.
bool is_of_hotspot(const NamedFrame& frame) {
  return frame.named && frame.function.starts_with("os::") &&
         file_name(frame.module).starts_with("libjvm.so");
}

/// The functions by which V8 maps pages, not all of its code: a script's function may map memory,
/// too.
bool is_of_v8(const NamedFrame& frame) {
  return is_allocator(frame) && frame.function.starts_with("v8::");
}

/// Go's run-time system maps all of its heap by these; a program's own syscall.Mmap is another way.
bool is_of_go(const NamedFrame& frame) {
  return frame.named &&
         (frame.function == "runtime.mmap" || frame.function.starts_with("runtime.sys"));
}

/// CoreCLR commits what its heaps grow by with these, its collector by the latter.
bool is_of_dotnet(const NamedFrame& frame) {
  const std::string module = file_name(frame.module);
  return frame.named &&
         (module.starts_with("libcoreclr.so") || module.starts_with("libclrgc.so")) &&
         (frame.function.starts_with("VIRTUAL") || frame.function.starts_with("GCToOSInterface::"));
}

bool is_of_mono(const NamedFrame& frame) {
  const std::string module = file_name(frame.module);
  return frame.named && frame.function.starts_with("mono_valloc") &&
         (module.starts_with("mono") || module.starts_with("libmono"));
}

/// Boehm's collector, as Crystal and others have it.
bool is_of_boehm(const NamedFrame& frame) {
  return frame.named && frame.function.starts_with("GC_") &&
         file_name(frame.module).starts_with("libgc.so");
}

/// The functions by which D's collector maps its pools, also under the linker's names.
bool is_of_d(const NamedFrame& frame) {
  return frame.named && (frame.function.starts_with("_D4core8internal2gc") ||
                         frame.function.starts_with("core.internal.gc."));
}

/// All of a Haskell program's heap is blocks of a MiB.
bool is_of_ghc(const NamedFrame& frame) {
  return frame.named && frame.function == "getMBlocks";
}

/// Chez Scheme's, which Racket has inside.
bool is_of_chez(const NamedFrame& frame) {
  return frame.named && frame.function == "S_getmem";
}

struct RunTime {
  bool (*maps)(const NamedFrame& frame);
  std::string_view name;
  std::string_view heap_of;
  std::string_view teller{};
};

constexpr auto kRunTimes = std::to_array<RunTime>(
    {{is_of_hotspot, "Java", "Java's machine", "a heap dump (jmap)"},
     {is_of_v8, "V8", "V8", "a heap snapshot (node --heapsnapshot-signal)"},
     {is_of_go, "Go", "Go's runtime", "a heap profile (runtime/pprof)"},
     {is_of_dotnet, ".NET", ".NET's runtime", "a heap dump (dotnet-gcdump)"},
     {is_of_mono, "Mono", "Mono", "its log profiler (mono --profile=log:heapshot)"},
     {is_of_ghc, "GHC", "Haskell's runtime", "a heap profile (+RTS -h)"},
     {is_of_d, "D", "D's collector"},
     {is_of_boehm, "Boehm's collector", "Boehm's collector"},
     {is_of_chez, "Chez Scheme", "Chez Scheme"}});

RegionOwner owner_of(const NamedFrame& frame) {
  for (const RunTime& run_time : kRunTimes) {
    if (run_time.maps(frame)) {
      return {RegionOwner::Kind::kRunTime, run_time.name, run_time.heap_of, run_time.teller};
    }
  }
  const std::string_view allocator = allocator_of(frame);
  return allocator.empty() ? RegionOwner{}
                           : RegionOwner{.kind = RegionOwner::Kind::kAllocator, .name = allocator};
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

bool may_collector_move(const LoadedTrace& trace, trace::StackId from, trace::StackId to) {
  const RegionOwner owner = region_owner(trace, from);
  return owner.kind == RegionOwner::Kind::kRunTime && owner == region_owner(trace, to);
}

}  // namespace tidemark::analyzer
