/// The Python interpreter of this process, if it has one, as its memory is read.
///
/// Only ever read, by the very thread whose frames are walked: no call into Python, no lock, no
/// allocation. What is read is bounded, and what does not look as it should ends the walk.
#pragma once

#include "preload/python/layout.hpp"
#include "preload/python/memory.hpp"
#include "preload/python/thread_local.hpp"

#include <atomic>
#include <cstdint>

#include <pthread.h>

namespace tidemark::python {

/// An interpreter whose version is known.
struct Runtime {
  Layout layout;
  std::uint64_t base = 0;       ///< _PyRuntime.
  std::uint64_t code_type = 0;  ///< PyCode_Type.
  /// From 3.15 on, where a thread has the address of its state, from the thread pointer; before,
  /// kNoDistance: it is found by Layout::auto_key.
  std::int64_t state_distance = kNoDistance;
};

/// nullptr: none was met so far, or none that could be read.
extern constinit std::atomic<const Runtime*> g_runtime;

/// A module was met in a stack for the first time. If it holds a Python interpreter whose layout is
/// known, its frames are read from now on.
/// @param dynamic its dynamic section.
/// @return 0; for an interpreter whose frames are not read, ControlPage::unread_python.
std::uint32_t meet_module(const void* dynamic, std::uint64_t bias);

/// After a dlclose. @param is_loaded tells whether an address is in a module still.
void forget_unloaded(bool (*is_loaded)(std::uint64_t address));

/// What a PyThreadState says of where its frames begin: Layout::start; with kPairs the innermost
/// frame, and where the list of anchors ends.
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
  if (load_as<std::int32_t>(key) != 1) [[unlikely]]
    return 0;
  return reinterpret_cast<std::uint64_t>(
      pthread_getspecific(load_as<pthread_key_t>(key + sizeof(std::int32_t))));
}

/// Of the calling thread; zeros where it has none, and once another thread takes the interpreter
/// down.
inline Start own_start(const Runtime& runtime) {
  const Layout& layout = runtime.layout;
  const std::uint64_t state = own_state(runtime);
  if (state == 0 || state % alignof(void*) != 0) [[unlikely]]
    return {};
  const std::uint64_t thread = load(state + layout.thread_id);
  Start start{load(state + layout.start)};
  if (layout.chain == Chain::kPairs)
    start = {start.link, load(state + layout.start_frame), state + layout.root_anchor};
  // Whoever takes the interpreter down says so before it frees the states of other threads: what
  // was read before it was said is true. A thread without the global lock may come here then.
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t finalizing = load(runtime.base + layout.finalizing);
  if (finalizing != 0 && finalizing != state) [[unlikely]]
    return {};
  return thread == reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()) ? start : Start{};
}

}  // namespace tidemark::python
