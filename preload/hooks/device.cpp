#include "preload/hooks/device.hpp"

#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace preload = tidemark::preload;
namespace wire = tidemark::wire;

#define TIDEMARK_EXPORT extern "C" __attribute__((visibility("default")))

TIDEMARK_EXPORT void tidemark_record_device_begin(std::uint64_t bytes) {
  if (preload::ThreadState* thread = preload::current_thread())
    write(*thread, wire::DeviceBegin{.bytes = bytes});
}

TIDEMARK_EXPORT void tidemark_record_device_end(std::uint64_t handle,
                                                std::uint64_t bytes,
                                                std::uint32_t place,
                                                const tidemark::unwind::FrameState* caller) {
  preload::ThreadState* thread = preload::current_thread();
  if (thread == nullptr)
    return;
  const std::uint32_t stack = preload::capture_stack(*thread, *caller);
  if (handle != 0) {
    write(*thread,
          wire::DeviceAllocate{.handle = handle, .bytes = bytes, .stack = stack, .place = place});
  } else {
    write(*thread, wire::DeviceFailed{.bytes = bytes, .stack = stack, .place = place});
  }
}

TIDEMARK_EXPORT void tidemark_record_device_free(std::uint64_t handle) {
  preload::ThreadState* thread = preload::current_thread();
  if (thread != nullptr && handle != 0)
    write(*thread, wire::DeviceFree{.handle = handle});
}

TIDEMARK_EXPORT void tidemark_record_device_map(std::uint64_t handle,
                                                const void* address,
                                                std::uint64_t bytes) {
  if (preload::ThreadState* thread = preload::current_thread()) {
    write(*thread, wire::DeviceMap{.handle = handle,
                                   .address = reinterpret_cast<std::uint64_t>(address),
                                   .bytes = bytes});
  }
}

TIDEMARK_EXPORT void tidemark_record_device_unmap(std::uint64_t handle) {
  if (preload::ThreadState* thread = preload::current_thread())
    write(*thread, wire::DeviceUnmap{.handle = handle});
}
