/// Finds the Python interpreter of this process, if any, and reads its memory.
///
/// Read only, and by the very thread whose frames are walked: no call into Python, no lock, no
/// allocation. Reads are bounded, and anything malformed ends the walk.
#pragma once

#include "preload/os/glibc_versions.hpp"
#include "preload/python/layout.hpp"
#include "preload/python/memory.hpp"
#include "preload/python/thread_local.hpp"

#include <atomic>
#include <cstdint>

namespace tidemark::python {

/// An interpreter whose version is known.
struct Runtime {
  Layout layout;
  std::uint64_t base = 0;       ///< _PyRuntime.
  std::uint64_t code_type = 0;  ///< PyCode_Type.
  /// From 3.15 on, distance from the thread pointer to the variable that holds the address of the
  /// thread's state. Before, kNoDistance: Layout::auto_key finds it.
  std::int64_t state_distance = kNoDistance;
};

/// nullptr: no readable interpreter was found so far.
extern constinit std::atomic<const Runtime*> g_runtime;

/// Call when a module first appears in a stack. If it contains a Python interpreter whose layout is
/// known, its frames are read from now on.
/// @param dynamic its dynamic section.
/// @return 0; for an interpreter that cannot be read, the value for ControlBlock::unread_python.
std::uint32_t meet_module(const void* dynamic, std::uint64_t bias);

/// Call after a dlclose. @param is_loaded Whether an address still belongs to a module.
void forget_unloaded(bool (*is_loaded)(std::uint64_t address));

/// Where a PyThreadState's frames begin: `link` is read at Layout::start; with kPairs `frame` is
/// the innermost frame, and `root` ends the list of anchors.
struct Start {
  std::uint64_t link = 0;
  std::uint64_t frame = 0;
  std::uint64_t root = 0;
};

/// The calling thread's PyThreadState; 0: it has none.
inline std::uint64_t own_state(const Runtime& runtime) {
  if (runtime.state_distance != kNoDistance)
    return load(reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()) +
                static_cast<std::uint64_t>(runtime.state_distance));
  const std::uint64_t key = runtime.base + runtime.layout.auto_key;  // {int is_initialized; key;}
  if (load_as<std::int32_t>(key) != 1 || pthread_getspecific == nullptr) [[unlikely]]
    return 0;
  return reinterpret_cast<std::uint64_t>(
      pthread_getspecific(load_as<pthread_key_t>(key + sizeof(std::int32_t))));
}

/// The calling thread's Start; zeros if it has no state, or once another thread finalizes the
/// interpreter.
inline Start own_start(const Runtime& runtime) {
  const Layout& layout = runtime.layout;
  const std::uint64_t state = own_state(runtime);
  if (state == 0 || state % alignof(void*) != 0) [[unlikely]]
    return {};
  const std::uint64_t thread = load(state + layout.thread_id);
  Start start{load(state + layout.start)};
  if (layout.chain == Chain::kPairs)
    start = {start.link, load(state + layout.start_frame), state + layout.root_anchor};
  // Finalization is announced before other threads' states are freed: if it is not announced yet,
  // what was read above is valid. A thread without the global lock may get here during it.
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t finalizing = load(runtime.base + layout.finalizing);
  if (finalizing != 0 && finalizing != state) [[unlikely]]
    return {};
  return thread == reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()) ? start : Start{};
}

}  // namespace tidemark::python
