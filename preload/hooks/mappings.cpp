#include "preload/hooks/mappings.hpp"

#include "preload/hooks/real.hpp"
#include "preload/hooks/stack.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <span>

#include <sys/mman.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

template <typename Kind>
void write_mapping(ThreadState& thread,
                   const Kind& mapped,
                   const wire::MappingArguments& arguments) {
  static_assert(Kind::kPayload == wire::Payload::kMapping);
  write_payload(thread, mapped, std::as_bytes(std::span(&arguments, 1)));
}

}  // namespace

void record_map(void* result, const MapRequest& request, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const std::uint32_t stack = capture_stack(*thread, caller);
  const bool internal = real::is_allocator_code(reinterpret_cast<const void*>(caller.pc));
  const bool anonymous = (request.flags & MAP_ANONYMOUS) != 0;
  const wire::MappingArguments arguments{
      .descriptor = anonymous ? -1 : request.descriptor,
      .protection = static_cast<std::uint32_t>(request.protection),
      .flags = static_cast<std::uint32_t>(request.flags),
      .internal = internal ? 1U : 0U,
      .offset = static_cast<std::uint64_t>(request.offset)};
  if (result == MAP_FAILED)
    write_mapping(*thread, wire::MapFailed{.bytes = request.length, .stack = stack}, arguments);
  else {
    write_mapping(*thread,
                  wire::Map{.address = number(result), .bytes = request.length, .stack = stack},
                  arguments);
  }
}

void record_unmap(void* address, std::size_t length) {
  if (ThreadState* thread = current_thread())
    write(*thread, wire::Unmap{.address = number(address), .bytes = length});
}

void record_unmap_failed(void* address, std::size_t length) {
  if (ThreadState* thread = current_thread())
    write(*thread, wire::UnmapFailed{.address = number(address), .bytes = length});
}

void record_remap_begin(void* address, std::size_t length) {
  if (ThreadState* thread = current_thread())
    write(*thread, wire::RemapBegin{.address = number(address), .bytes = length});
}

void record_remap_end(void* result,
                      std::size_t length,
                      int flags,
                      const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const std::uint32_t stack = capture_stack(*thread, caller);
  const bool internal = real::is_allocator_code(reinterpret_cast<const void*>(caller.pc));
  const wire::MappingArguments arguments{.descriptor = -1,
                                         .protection = 0,
                                         .flags = static_cast<std::uint32_t>(flags),
                                         .internal = internal ? 1U : 0U,
                                         .offset = 0};
  if (result == MAP_FAILED)
    write_mapping(*thread, wire::RemapFailed{.bytes = length, .stack = stack}, arguments);
  else {
    write_mapping(*thread,
                  wire::RemapEnd{.address = number(result), .bytes = length, .stack = stack},
                  arguments);
  }
}

void record_attach(void* result, int segment, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || result == MAP_FAILED)
    return;
  write(*thread, wire::Attach{.address = number(result),
                              .stack = capture_stack(*thread, caller),
                              .segment = static_cast<std::uint32_t>(segment)});
}

void record_detach(const void* address) {
  if (ThreadState* thread = current_thread())
    write(*thread, wire::Detach{.address = number(address)});
}

void record_protect(void* address,
                    std::size_t length,
                    int protection,
                    const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || real::is_allocator_code(reinterpret_cast<const void*>(caller.pc)))
    return;
  write(*thread, wire::Protect{.address = number(address),
                               .bytes = length,
                               .stack = capture_stack(*thread, caller),
                               .protection = static_cast<std::uint32_t>(protection)});
}

void record_advise(void* address, std::size_t length, int advice) {
  if (ThreadState* thread = current_thread()) {
    write(*thread, wire::Advise{.address = number(address),
                                .bytes = length,
                                .advice = static_cast<std::uint32_t>(advice)});
  }
}

void record_break(void* before, void* after, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  // What an allocator takes (tcmalloc does) is in the blocks that it hands out.
  if (thread == nullptr || before == after ||
      real::is_allocator_code(reinterpret_cast<const void*>(caller.pc)))
    return;
  write(*thread, wire::Break{.before = number(before),
                             .after = number(after),
                             .stack = capture_stack(*thread, caller)});
}

}  // namespace tidemark::preload
