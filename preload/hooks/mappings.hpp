/// The anon and file lanes: mappings that the program itself makes.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

struct MapRequest {
  std::size_t length;
  int protection;
  int flags;
  int descriptor;
  std::int64_t offset;
};

/// After mmap, when the address is known. Mappings made by an allocator's own shared library are
/// marked internal and not counted: its blocks are in the heap lane already.
void record_map(void* result, const MapRequest& request, const unwind::FrameState& caller);

/// Before munmap, like a free; a failure (rare: bad arguments, too many mappings) after it.
void record_unmap(void* address, std::size_t length);
void record_unmap_failed(void* address, std::size_t length);

/// Before and after mremap, like a realloc.
void record_remap_begin(void* address, std::size_t length);
void record_remap_end(void* result,
                      std::size_t length,
                      int flags,
                      const unwind::FrameState& caller);

/// After shmat and before shmdt, for a SysV segment. The collector finds out its length.
void record_attach(void* result, int segment, const unwind::FrameState& caller);
void record_detach(const void* address);

/// After each call that succeeded.
void record_protect(void* address,
                    std::size_t length,
                    int protection,
                    const unwind::FrameState& caller);
void record_advise(void* address, std::size_t length, int advice);
void record_break(void* before, void* after, const unwind::FrameState& caller);

}  // namespace tidemark::preload
