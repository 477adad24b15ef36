#include "preload/hooks/copies.hpp"

#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <span>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace preload = tidemark::preload;
namespace wire = tidemark::wire;

#define TIDEMARK_EXPORT extern "C" __attribute__((visibility("default")))

TIDEMARK_EXPORT void tidemark_record_copy(const void* to,
                                          const void* from,
                                          std::size_t bytes,
                                          const tidemark::unwind::FrameState* caller) {
  preload::ThreadState* thread = preload::current_thread();
  if (thread == nullptr)
    return;
  const auto source = reinterpret_cast<std::uint64_t>(from);
  write_payload(*thread,
                wire::Copy{.destination = reinterpret_cast<std::uint64_t>(to),
                           .bytes = bytes,
                           .stack = preload::capture_stack(*thread, *caller)},
                std::as_bytes(std::span(&source, 1)));
}

TIDEMARK_EXPORT void tidemark_record_fill(const void* to,
                                          std::size_t bytes,
                                          const tidemark::unwind::FrameState* caller) {
  preload::ThreadState* thread = preload::current_thread();
  if (thread == nullptr)
    return;
  write(*thread, wire::Fill{.destination = reinterpret_cast<std::uint64_t>(to),
                            .bytes = bytes,
                            .stack = preload::capture_stack(*thread, *caller)});
}
