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

void write_mapping(ThreadState& thread,
                   const Record& head,
                   const wire::MappingArguments& arguments) {
  write_payload(thread, head, std::as_bytes(std::span(&arguments, 1)));
}

}  // namespace

void record_map(void* result, const MapRequest& request, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const std::uint32_t stack = take_stack(*thread, caller);
  const bool failed = result == MAP_FAILED;
  const bool internal = real::is_allocator_code(reinterpret_cast<const void*>(caller.pc));
  const bool anonymous = (request.flags & MAP_ANONYMOUS) != 0;
  write_mapping(*thread,
                {.kind = failed ? wire::RecordKind::kMapFailed : wire::RecordKind::kMap,
                 .address = failed ? 0 : number(result),
                 .size = request.length,
                 .stack = stack},
                {.descriptor = anonymous ? -1 : request.descriptor,
                 .protection = static_cast<std::uint32_t>(request.protection),
                 .flags = static_cast<std::uint32_t>(request.flags),
                 .internal = internal ? 1U : 0U,
                 .offset = static_cast<std::uint64_t>(request.offset)});
}

void record_unmap(void* address, std::size_t length) {
  if (ThreadState* thread = current_thread())
    write(*thread, {.kind = wire::RecordKind::kUnmap, .address = number(address), .size = length});
}

void record_unmap_failed(void* address, std::size_t length) {
  if (ThreadState* thread = current_thread())
    write(*thread,
          {.kind = wire::RecordKind::kUnmapFailed, .address = number(address), .size = length});
}

void record_remap_begin(void* address, std::size_t length) {
  if (ThreadState* thread = current_thread())
    write(*thread,
          {.kind = wire::RecordKind::kRemapBegin, .address = number(address), .size = length});
}

void record_remap_end(void* result,
                      std::size_t length,
                      int flags,
                      const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  const bool failed = result == MAP_FAILED;
  const bool internal = real::is_allocator_code(reinterpret_cast<const void*>(caller.pc));
  write_mapping(*thread,
                {.kind = failed ? wire::RecordKind::kRemapFailed : wire::RecordKind::kRemapEnd,
                 .address = failed ? 0 : number(result),
                 .size = length,
                 .stack = take_stack(*thread, caller)},
                {.descriptor = -1,
                 .protection = 0,
                 .flags = static_cast<std::uint32_t>(flags),
                 .internal = internal ? 1U : 0U,
                 .offset = 0});
}

void record_protect(void* address,
                    std::size_t length,
                    int protection,
                    const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || real::is_allocator_code(reinterpret_cast<const void*>(caller.pc)))
    return;
  write(*thread, {.kind = wire::RecordKind::kProtect,
                  .address = number(address),
                  .size = length,
                  .stack = take_stack(*thread, caller),
                  .extra = static_cast<std::uint32_t>(protection)});
}

void record_advise(void* address, std::size_t length, int advice) {
  if (ThreadState* thread = current_thread())
    write(*thread, {.kind = wire::RecordKind::kAdvise,
                    .address = number(address),
                    .size = length,
                    .extra = static_cast<std::uint32_t>(advice)});
}

void record_break(void* before, void* after, const unwind::FrameState& caller) {
  ThreadState* thread = current_thread();
  if (thread == nullptr || before == after)
    return;
  write(*thread, {.kind = wire::RecordKind::kBreak,
                  .address = number(before),
                  .size = number(after),
                  .stack = take_stack(*thread, caller)});
}

}  // namespace tidemark::preload
