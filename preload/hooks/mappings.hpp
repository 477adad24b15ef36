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

/// After mmap: the address is known then. Blocks of an allocator that is a shared library of its
/// own are in the heap lane; its mappings are marked internal and count nowhere else.
void record_map(void* result, const MapRequest& request, const unwind::FrameState& caller);

/// Before munmap, as a free; the failure (rare: bad arguments, too many mappings) after it.
void record_unmap(void* address, std::size_t length);
void record_unmap_failed(void* address, std::size_t length);

/// Around mremap, as a realloc.
void record_remap_begin(void* address, std::size_t length);
void record_remap_end(void* result,
                      std::size_t length,
                      int flags,
                      const unwind::FrameState& caller);

/// After shmat, and before shmdt: a SysV segment. Its length is for the collector to find out.
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
