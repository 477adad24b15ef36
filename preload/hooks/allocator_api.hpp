/// Functions of allocators that are called by names of their own (mi_malloc, mallocx, tc_malloc),
/// and not in libc's place.
///
/// A function of ours with such a name would stand in front of every library that is loaded later,
/// also of a plugin's own copy, and which copy a call was meant for cannot be told. So those alone
/// are there whose allocator the program was started with: the loader finds that one first for
/// every caller. The others are taken out of the loader's sight before anything can be loaded.
#pragma once

namespace tidemark::preload {

/// One function, where it is defined; all lie side by side in the object.
struct AllocatorFunction {
  const char* name = "";
  void* function = nullptr;  ///< The allocator's own. Null: the program started without it.
};

#define TIDEMARK_ALLOCATOR_FUNCTION(variable, name)                                             \
  __attribute__((section(                                                                       \
      "tidemark_allocators"))) static constinit tidemark::preload::AllocatorFunction variable { \
    name                                                                                        \
  }

/// Looks all of them up, and hides those that are nobody's. Once, before the process has a second
/// thread or can load a library.
void look_up_allocator_functions();

}  // namespace tidemark::preload
