#include "preload/hooks/device.hpp"

#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace preload = tidemark::preload;
using tidemark::wire::RecordKind;

#define TIDEMARK_EXPORT extern "C" __attribute__((visibility("default")))

TIDEMARK_EXPORT void tidemark_record_device_begin(std::uint64_t bytes) {
  if (preload::ThreadState* thread = preload::current_thread())
    write(*thread, {.kind = RecordKind::kDeviceBegin, .size = bytes});
}

TIDEMARK_EXPORT void tidemark_record_device_end(std::uint64_t handle,
                                                std::uint64_t bytes,
                                                std::uint32_t place,
                                                const tidemark::unwind::FrameState* caller) {
  preload::ThreadState* thread = preload::current_thread();
  if (thread == nullptr)
    return;
  write(*thread, {.kind = handle != 0 ? RecordKind::kDeviceAllocate : RecordKind::kDeviceFailed,
                  .address = handle,
                  .size = bytes,
                  .stack = preload::take_stack(*thread, *caller),
                  .extra = place});
}

TIDEMARK_EXPORT void tidemark_record_device_free(std::uint64_t handle) {
  preload::ThreadState* thread = preload::current_thread();
  if (thread != nullptr && handle != 0)
    write(*thread, {.kind = RecordKind::kDeviceFree, .address = handle});
}

TIDEMARK_EXPORT void tidemark_record_device_map(std::uint64_t handle,
                                                const void* address,
                                                std::uint64_t bytes) {
  if (preload::ThreadState* thread = preload::current_thread())
    write(*thread, {.kind = RecordKind::kDeviceMap,
                    .address = reinterpret_cast<std::uint64_t>(address),
                    .size = bytes,
                    .stack = static_cast<std::uint32_t>(handle),
                    .extra = static_cast<std::uint32_t>(handle >> 32)});
}

TIDEMARK_EXPORT void tidemark_record_device_unmap(std::uint64_t handle) {
  if (preload::ThreadState* thread = preload::current_thread())
    write(*thread, {.kind = RecordKind::kDeviceUnmap, .address = handle});
}
