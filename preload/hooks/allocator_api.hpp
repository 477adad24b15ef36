/// Allocator functions that are called by their own names (mi_malloc, mallocx, tc_malloc) instead
/// of replacing libc's.
///
/// If we export such a name, it interposes on every library loaded later, even on a plugin's
/// private copy, and we cannot tell which copy a call was meant for. So we export only the names of
/// allocators that the program was started with: there the loader picks that copy for every caller.
/// All other names are hidden from the loader before anything can be loaded.
#pragma once

namespace tidemark::preload {

/// One such function. All entries lie side by side in one section of the object.
struct AllocatorFunction {
  const char* name = "";
  void* function = nullptr;  ///< The allocator's own. Null: the program started without it.
};

#define TIDEMARK_ALLOCATOR_FUNCTION(variable, name)                                             \
  __attribute__((section(                                                                       \
      "tidemark_allocators"))) static constinit tidemark::preload::AllocatorFunction variable { \
    name                                                                                        \
  }

/// Looks all of them up, and hides those that no loaded object defines. Called once, before the
/// process has a second thread or can load a library.
void look_up_allocator_functions();

}  // namespace tidemark::preload
