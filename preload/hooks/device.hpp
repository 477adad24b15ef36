/// Device memory: a program's requests to a GPU driver, identified by handle.
#pragma once

#include "preload/hooks/stack.hpp"

#include <cstdint>

// Called by the Vulkan layer (preload/vulkan), an object of its own. Exported for it alone.

/// Before `bytes` bytes are requested from the driver. Paired with this thread's next
/// `_device_end`.
extern "C" void tidemark_record_device_begin(std::uint64_t bytes);

/// After the driver has answered. @param handle 0 when it refused. @param place see
/// wire::make_device_place. `caller` is borrowed.
extern "C" void tidemark_record_device_end(std::uint64_t handle,
                                           std::uint64_t bytes,
                                           std::uint32_t place,
                                           const tidemark::unwind::FrameState* caller);

/// Before the memory goes. Handle 0 is none.
extern "C" void tidemark_record_device_free(std::uint64_t handle);

/// After `bytes` bytes of the allocation were mapped into the host at `address`.
extern "C" void tidemark_record_device_map(std::uint64_t handle,
                                           const void* address,
                                           std::uint64_t bytes);

/// Before they are unmapped.
extern "C" void tidemark_record_device_unmap(std::uint64_t handle);
