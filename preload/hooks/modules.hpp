/// Loaded objects, announced to the collector when their code first appears in a stack.
#pragma once

#include "preload/unwind/modules.hpp"

namespace tidemark::preload {

/// Writes kModule before the record whose stack needs it, once per process and epoch (or again if
/// two threads meet the module at the same moment). @param epoch of the stack's root.
void announce_module(const unwind::Module& module, std::uint32_t epoch);

/// dlopen is about to run. It must be *jumped* to afterwards, not called: it looks at its caller.
/// @param flags RTLD_DEEPBIND among them is told to the collector.
void record_load(const char* name, int flags);

/// dlclose has run: from now on code addresses may mean other modules.
void record_unload();

}  // namespace tidemark::preload
