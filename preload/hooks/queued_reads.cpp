#include "preload/hooks/queued_reads.hpp"

#include "preload/hooks/files.hpp"
#include "preload/session/process.hpp"
#include "preload/session/thread.hpp"

#include <sys/uio.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

// linux/aio_abi.h
constexpr std::uint16_t kAioRead = 0;
constexpr std::uint16_t kAioReadParts = 7;
// linux/io_uring.h
constexpr std::uint8_t kRingReadParts = 1;
constexpr std::uint8_t kRingReadFixed = 4;
constexpr std::uint8_t kRingRead = 22;
constexpr std::uint8_t kRingSplice = 30;
constexpr std::uint8_t kFixedFile = 1;                // IOSQE_FIXED_FILE
constexpr std::uint32_t kSpliceFixedFile = 1U << 31;  // SPLICE_F_FD_IN_FIXED

/// One part after the other, each from where the one before it ends.
void record_parts(int descriptor,
                  std::uint64_t parts,
                  std::uint64_t count,
                  std::uint64_t offset,
                  const unwind::FrameState& caller) {
  constexpr std::uint64_t kMaxParts = 1024;  // UIO_MAXIOV
  const auto* const part = reinterpret_cast<const iovec*>(parts);
  for (std::uint64_t i = 0; i < count && i < kMaxParts; ++i) {
    record_queued_read(descriptor, part[i].iov_base, part[i].iov_len, offset, caller);
    offset = offset == kAtPosition ? offset : offset + part[i].iov_len;
  }
}

void record_block(const AioBlock& block, const unwind::FrameState& caller) {
  const auto descriptor = static_cast<int>(block.descriptor);
  const auto offset = static_cast<std::uint64_t>(block.offset);
  if (block.opcode == kAioRead)
    record_queued_read(descriptor, reinterpret_cast<const void*>(block.buffer), block.bytes, offset,
                       caller);
  else if (block.opcode == kAioReadParts)
    record_parts(descriptor, block.buffer, block.bytes, offset, caller);
}

bool is_read(const RingEntry& entry) {
  return entry.opcode == kRingRead || entry.opcode == kRingReadFixed ||
         entry.opcode == kRingReadParts || entry.opcode == kRingSplice;
}

/// Its number is one of a table that the ring has, and says nothing here.
bool has_unknown_file(const RingEntry& entry) {
  return entry.opcode == kRingSplice ? (entry.operation_flags & kSpliceFixedFile) != 0
                                     : (entry.flags & kFixedFile) != 0;
}

std::uint64_t bytes_of(const RingEntry& entry) {
  if (entry.opcode != kRingReadParts)
    return entry.length;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < entry.length; ++i)
    bytes += reinterpret_cast<const iovec*>(entry.address)[i].iov_len;
  return bytes;
}

void record_entry(const RingEntry& entry, const unwind::FrameState& caller) {
  const auto* const destination = reinterpret_cast<const void*>(entry.address);
  if (!is_read(entry))
    return;
  if (has_unknown_file(entry))
    control().reads_unfollowed.fetch_add(bytes_of(entry), std::memory_order_relaxed);
  else if (entry.opcode == kRingReadParts)
    record_parts(entry.descriptor, entry.address, entry.length, entry.offset, caller);
  else if (entry.opcode == kRingSplice)
    record_queued_read(entry.second_descriptor, nullptr, entry.length, entry.address, caller);
  else
    record_queued_read(entry.descriptor, destination, entry.length, entry.offset, caller);
}

/// Once a process: the collector counts those that have a ring.
void note_rings_followed() {
  if (!g_process->follows_rings.exchange(true, std::memory_order_relaxed))
    control().rings_followed.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

namespace {
constinit thread_local bool t_is_in_library = false;
}  // namespace

InLibrary::InLibrary() {
  t_is_in_library = true;
}
InLibrary::~InLibrary() {
  t_is_in_library = false;
}
bool InLibrary::stands() {
  return t_is_in_library;
}

void record_ring_made(long descriptor) {
  if (descriptor >= 0 && current_thread() != nullptr &&
      !g_process->makes_rings.exchange(true, std::memory_order_relaxed))
    control().rings_made.fetch_add(1, std::memory_order_relaxed);
}

void record_aio_submit(AioBlock* const* blocks, long count, const unwind::FrameState& caller) {
  if (current_thread() == nullptr)
    return;
  for (long i = 0; i < count; ++i)
    record_block(*blocks[i], caller);
}

void record_ring_submit(const SubmissionQueue& queue, const unwind::FrameState& caller) {
  if (current_thread() == nullptr || queue.kernel_entries == nullptr || queue.entries == nullptr)
    return;
  note_rings_followed();
  const std::uint32_t room = *queue.kernel_entries;
  for (std::uint32_t at = queue.head; at != queue.tail && at - queue.head < room; ++at)
    record_entry(queue.entries[at & (room - 1)], caller);
}

}  // namespace tidemark::preload
