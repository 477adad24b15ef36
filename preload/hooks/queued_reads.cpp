#include "preload/hooks/queued_reads.hpp"

#include "preload/hooks/files.hpp"
#include "preload/session/process.hpp"
#include "preload/session/thread.hpp"

#include <atomic>

#include <linux/io_uring.h>
#include <sys/mman.h>
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

namespace {

/// A ring that was made by number: where its queue lies. Those of a process are few.
struct MadeRing {
  std::atomic<int> descriptor;  ///< One more than it; 0: the place is free.
  std::uint32_t head;           ///< Offsets in `queue`.
  std::uint32_t tail;
  std::uint32_t mask;
  std::uint32_t array;
  std::atomic<char*> queue;
  std::atomic<RingEntry*> entries;
  std::uint32_t seen;  ///< The entry up to which all are recorded.
};
constinit MadeRing g_made_rings[16];

MadeRing* made_ring(int descriptor) {
  for (MadeRing& ring : g_made_rings) {
    if (ring.descriptor.load(std::memory_order_acquire) == descriptor + 1)
      return &ring;
  }
  return nullptr;
}

/// Its own place if the number had one before, or a free one.
MadeRing* place_for(int descriptor) {
  if (MadeRing* const known = made_ring(descriptor); known != nullptr)
    return known;
  for (MadeRing& ring : g_made_rings) {
    int none = 0;
    if (ring.descriptor.compare_exchange_strong(none, -1))
      return &ring;
  }
  return nullptr;
}

std::uint32_t word(const char* queue, std::uint32_t at) {
  return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(queue + at), __ATOMIC_ACQUIRE);
}

/// A thread of the kernel takes its entries, or they have another form.
bool can_be_followed(const io_uring_params& facts) {
  constexpr std::uint32_t kNoQueueArray = 1U << 16;  // IORING_SETUP_NO_SQARRAY
  constexpr std::uint32_t kOwnMemory = 1U << 14;     // IORING_SETUP_NO_MMAP
  return (facts.flags & (IORING_SETUP_SQPOLL | IORING_SETUP_SQE128 | kNoQueueArray | kOwnMemory)) ==
         0;
}

}  // namespace

void record_ring_made(long descriptor, const io_uring_params* facts) {
  if (descriptor < 0 || current_thread() == nullptr)
    return;
  if (!g_process->makes_rings.exchange(true, std::memory_order_relaxed))
    control().rings_made.fetch_add(1, std::memory_order_relaxed);
  MadeRing* const ring = place_for(static_cast<int>(descriptor));
  if (ring == nullptr)
    return;
  ring->queue = nullptr;
  ring->entries = nullptr;
  ring->seen = 0;
  ring->head = facts->sq_off.head;
  ring->tail = facts->sq_off.tail;
  ring->mask = facts->sq_off.ring_mask;
  ring->array = facts->sq_off.array;
  ring->descriptor.store(can_be_followed(*facts) ? static_cast<int>(descriptor) + 1 : 0,
                         std::memory_order_release);
}

void note_ring_mapping(int descriptor, std::uint64_t offset, void* begin) {
  MadeRing* const ring = descriptor < 0 ? nullptr : made_ring(descriptor);
  if (ring == nullptr || begin == MAP_FAILED)
    return;
  if (offset == IORING_OFF_SQ_RING)
    ring->queue = static_cast<char*>(begin);
  else if (offset == IORING_OFF_SQES)
    ring->entries = static_cast<RingEntry*>(begin);
}

void record_ring_enter(int descriptor, std::uint32_t count, const unwind::FrameState& caller) {
  MadeRing* const ring = count == 0 ? nullptr : made_ring(descriptor);
  if (ring == nullptr || ring->queue == nullptr || ring->entries == nullptr ||
      current_thread() == nullptr)
    return;
  note_rings_followed();
  const char* const queue = ring->queue;
  const std::uint32_t mask = word(queue, ring->mask);
  const std::uint32_t tail = word(queue, ring->tail);
  std::uint32_t at = word(queue, ring->head);
  // What a call before this one left there, and had recorded.
  if (ring->seen - at <= tail - at)
    at = ring->seen;
  for (; at != tail && count != 0; ++at, --count) {
    const std::uint32_t index =
        word(queue, ring->array + (at & mask) * std::uint32_t{sizeof(std::uint32_t)});
    if (index <= mask)
      record_entry(ring->entries.load()[index], caller);
  }
  ring->seen = at;
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
