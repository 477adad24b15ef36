#include "preload/hooks/queued_reads.hpp"

#include "preload/hooks/files.hpp"
#include "preload/os/own_rings.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/process.hpp"
#include "preload/session/thread.hpp"

#include <atomic>
#include <span>

#include <linux/aio_abi.h>
#include <linux/close_range.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/uio.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// Guards reads of pointers that a program queues. A bad one makes the kernel return an error, but
/// would crash the program in a hook. Memory written a moment ago is resident, so other pages count
/// as unreadable.
bool is_readable(std::uint64_t address, std::uint64_t bytes) {
  if (!may(kMayAskKernel))
    return true;
  if (address + bytes < address)
    return false;
  const std::uint64_t first = address / wire::kPageBytes * wire::kPageBytes;
  for (std::uint64_t page = first; page < address + bytes; page += wire::kPageBytes) {
    if (!sys::is_resident(page))
      return false;
  }
  return true;
}

/// The list of parts at `address`; empty if it may be unreadable.
std::span<const iovec> parts_at(std::uint64_t address, std::uint64_t count) {
  constexpr std::uint64_t kMaxParts = 1024;  // UIO_MAXIOV
  if (count > kMaxParts || !is_readable(address, count * sizeof(iovec)))
    return {};
  return {reinterpret_cast<const iovec*>(address), count};
}

/// Records the parts in order, each at the file offset where the one before it ends.
void record_parts(int descriptor,
                  std::uint64_t parts,
                  std::uint64_t count,
                  std::uint64_t offset,
                  const unwind::FrameState& caller) {
  for (const iovec& part : parts_at(parts, count)) {
    record_queued_read(descriptor, part.iov_base, part.iov_len, offset, caller);
    offset = offset == kAtPosition ? offset : offset + part.iov_len;
  }
}

void record_block(const AioBlock& block, const unwind::FrameState& caller) {
  const auto descriptor = static_cast<int>(block.descriptor);
  const auto offset = static_cast<std::uint64_t>(block.offset);
  if (block.opcode == IOCB_CMD_PREAD) {
    record_queued_read(descriptor, reinterpret_cast<const void*>(block.buffer), block.bytes, offset,
                       caller);
  } else if (block.opcode == IOCB_CMD_PREADV) {
    record_parts(descriptor, block.buffer, block.bytes, offset, caller);
  }
}

/// Linux 6.15's IORING_OP_READV_FIXED.
constexpr std::uint8_t kReadPartsFixed = 60;

bool has_parts(const RingEntry& entry) {
  return entry.opcode == IORING_OP_READV || entry.opcode == kReadPartsFixed;
}

/// Whether it reads a file: IORING_OP_READ_MULTISHOT cannot.
bool is_read(const RingEntry& entry) {
  return entry.opcode == IORING_OP_READ || entry.opcode == IORING_OP_READ_FIXED ||
         entry.opcode == IORING_OP_SPLICE || has_parts(entry);
}

/// Its descriptor is an index into the ring's table of files, which we do not have.
bool has_unknown_file(const RingEntry& entry) {
  return entry.opcode == IORING_OP_SPLICE ? (entry.operation_flags & SPLICE_F_FD_IN_FIXED) != 0
                                          : (entry.flags & IOSQE_FIXED_FILE) != 0;
}

std::uint64_t bytes_of(const RingEntry& entry) {
  if (!has_parts(entry))
    return entry.length;
  std::uint64_t bytes = 0;
  for (const iovec& part : parts_at(entry.address, entry.length))
    bytes += part.iov_len;
  return bytes;
}

void record_entry(const RingEntry& entry, const unwind::FrameState& caller) {
  const auto* const destination = reinterpret_cast<const void*>(entry.address);
  if (!is_read(entry))
    return;
  if (has_unknown_file(entry))
    control().reads_unfollowed.fetch_add(bytes_of(entry), std::memory_order_relaxed);
  else if (has_parts(entry))
    record_parts(entry.descriptor, entry.address, entry.length, entry.offset, caller);
  else if (entry.opcode == IORING_OP_SPLICE)
    record_queued_read(entry.second_descriptor, nullptr, entry.length, entry.address, caller);
  else
    record_queued_read(entry.descriptor, destination, entry.length, entry.offset, caller);
}

bool follows_rings() {
  return (process_slot().rings.load(std::memory_order_relaxed) &
          wire::ProcessSlot::kFollowsRings) != 0;
}

/// Written only once, since the collector uses the cache line, too.
void note_rings_followed() {
  if (!follows_rings())
    process_slot().rings.fetch_or(wire::ProcessSlot::kFollowsRings, std::memory_order_relaxed);
}

constinit thread_local bool t_is_in_library = false;

/// A ring made by number, and where its queue lies. A process has few.
struct MadeRing {
  std::atomic<int> descriptor;  ///< Descriptor + 1; 0: the place is free.
  std::uint32_t head;           ///< Offsets in `queue`.
  std::uint32_t tail;
  std::uint32_t mask;
  std::uint32_t array;
  std::uint32_t entry_places;  ///< Size of an entry, in units of a RingEntry.
  bool has_array;  ///< The queue has indices; else an entry's index is its place in the queue.
  bool can_be_followed;
  std::atomic<char*> queue;
  std::atomic<RingEntry*> entries;
  std::uint32_t seen;  ///< Entries before this one are recorded.
  bool has_left;       ///< Its queue was unmapped after all its entries were recorded.
};
constinit MadeRing g_made_rings[16]{};
/// There may have been entries that were not seen.
constinit std::atomic<bool> g_has_unknown_entries{};
/// How many rings made by number have been closed.
constinit std::atomic<std::uint32_t> g_rings_closed{};

MadeRing* made_ring(int descriptor) {
  for (MadeRing& ring : g_made_rings) {
    if (ring.descriptor.load(std::memory_order_acquire) == descriptor + 1)
      return &ring;
  }
  return nullptr;
}

/// The place that the descriptor has already, else a free one.
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

/// By how many places of a RingEntry's size the ring's entries are apart.
std::uint32_t entry_places(std::uint32_t setup_flags) {
  return (setup_flags & IORING_SETUP_SQE128) != 0 ? 2 : 1;
}

constexpr std::uint32_t kOwnMemory = 1U << 14;  // IORING_SETUP_NO_MMAP

constexpr std::uint32_t kNoQueueArray = 1U << 16;  // IORING_SETUP_NO_SQARRAY

/// Not if a kernel thread polls the queue. From the twentieth flag on (entries of two sizes, a
/// queue that is read from its start at each call) the queue has another form, or may have.
bool can_be_followed(const io_uring_params& facts) {
  constexpr std::uint32_t kKnown = (1U << 19) - 1;
  return (facts.flags & ~kKnown) == 0 && (facts.flags & IORING_SETUP_SQPOLL) == 0;
}

/// Whether all entries that the kernel has taken from its queue were recorded; true for an unused
/// ring.
bool is_all_recorded(const MadeRing& ring) {
  const char* const queue = ring.queue;
  if (queue == nullptr)
    return ring.has_left;
  return is_readable(reinterpret_cast<std::uint64_t>(queue + ring.head), sizeof(std::uint32_t)) &&
         static_cast<std::int32_t>(ring.seen - word(queue, ring.head)) >= 0;
}

void note_unknown_entries() {
  g_has_unknown_entries.store(true, std::memory_order_relaxed);
}

void note_closed(MadeRing& ring) {
  if (!is_all_recorded(ring))
    note_unknown_entries();
  g_rings_closed.fetch_add(1, std::memory_order_relaxed);
  ring.queue = nullptr;
  ring.entries = nullptr;
  ring.descriptor.store(0, std::memory_order_release);
}

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

void record_ring_made(long descriptor, const io_uring_params* facts) {
  if (descriptor < 0 || current_thread() == nullptr)
    return;
  process_slot().rings.fetch_or(wire::ProcessSlot::kMadeRing, std::memory_order_relaxed);
  MadeRing* const ring =
      (facts->flags & kOwnMemory) == 0 ? place_for(static_cast<int>(descriptor)) : nullptr;
  const bool is_taken_over = ring != nullptr && ring->descriptor.load() > 0;
  if (ring == nullptr || (is_taken_over && !is_all_recorded(*ring)))
    note_unknown_entries();
  if (ring == nullptr)
    return;
  ring->queue = nullptr;
  ring->entries = nullptr;
  ring->seen = 0;
  ring->has_left = false;
  ring->can_be_followed = can_be_followed(*facts);
  ring->head = facts->sq_off.head;
  ring->tail = facts->sq_off.tail;
  ring->mask = facts->sq_off.ring_mask;
  ring->array = facts->sq_off.array;
  ring->entry_places = entry_places(facts->flags);
  ring->has_array = (facts->flags & kNoQueueArray) == 0;
  ring->descriptor.store(static_cast<int>(descriptor) + 1, std::memory_order_release);
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

void note_ring_unmapping(std::uint64_t begin, std::uint64_t bytes) {
  for (MadeRing& ring : g_made_rings) {
    const auto queue = reinterpret_cast<std::uint64_t>(ring.queue.load(std::memory_order_relaxed));
    if (queue == 0 || queue - begin >= bytes)
      continue;
    ring.has_left = is_all_recorded(ring);
    ring.queue = nullptr;
    ring.entries = nullptr;
  }
}

void note_ring_closed(int descriptor) {
  MadeRing* const ring = descriptor < 0 ? nullptr : made_ring(descriptor);
  if (ring != nullptr && !is_vfork_child())
    note_closed(*ring);
}

void note_rings_closed(unsigned first, unsigned last, unsigned flags) {
  if ((flags & CLOSE_RANGE_CLOEXEC) != 0 || is_vfork_child())
    return;
  for (MadeRing& ring : g_made_rings) {
    const int descriptor = ring.descriptor.load(std::memory_order_acquire) - 1;
    if (descriptor >= 0 && first <= unsigned(descriptor) && unsigned(descriptor) <= last)
      note_closed(ring);
  }
}

void note_rings_at_end() {
  // Once one ring is followed, what went through the others cannot be told.
  if (g_has_unknown_entries.load(std::memory_order_relaxed) || current_thread() == nullptr ||
      follows_rings())
    return;
  std::uint32_t made = g_rings_closed.load(std::memory_order_relaxed);
  for (const MadeRing& ring : g_made_rings) {
    if (ring.descriptor.load(std::memory_order_acquire) == 0)
      continue;
    ++made;
    if (!is_all_recorded(ring))
      return;
  }
  const std::uint32_t seen = process_slot().idle_rings.load(std::memory_order_relaxed);
  if ((made == 0 && seen == 0) || seen == wire::ProcessSlot::kRingsUsed)
    return;
  // The rings that no hook has seen, as the kernel describes those still open.
  const OwnRings others =
      own_rings([](int descriptor) { return made_ring(descriptor) != nullptr; });
  if (others.used == 0 && made + others.idle >= seen)
    note_rings_followed();
}

void record_ring_enter(int descriptor, std::uint32_t count, const unwind::FrameState& caller) {
  MadeRing* const ring = count == 0 ? nullptr : made_ring(descriptor);
  if (ring == nullptr || current_thread() == nullptr)
    return;
  if (!ring->can_be_followed || ring->queue == nullptr || ring->entries == nullptr)
    return note_unknown_entries();
  note_rings_followed();
  const char* const queue = ring->queue;
  const std::uint32_t mask = word(queue, ring->mask);
  const std::uint32_t tail = word(queue, ring->tail);
  std::uint32_t at = word(queue, ring->head);
  // An earlier call may have left entries there that it recorded.
  if (ring->seen - at <= tail - at)
    at = ring->seen;
  for (; at != tail && count != 0; ++at, --count) {
    const std::uint32_t index =
        ring->has_array
            ? word(queue, ring->array + (at & mask) * std::uint32_t{sizeof(std::uint32_t)})
            : at & mask;
    if (index <= mask)
      record_entry(ring->entries.load()[index * ring->entry_places], caller);
  }
  ring->seen = at;
}

void record_aio_submit(AioBlock* const* blocks, long count, const unwind::FrameState& caller) {
  if (current_thread() == nullptr)
    return;
  // Another thread may have taken the completion and freed the block already.
  for (long i = 0; i < count; ++i) {
    if (is_readable(reinterpret_cast<std::uint64_t>(blocks[i]), sizeof(AioBlock)))
      record_block(*blocks[i], caller);
  }
}

void record_ring_submit(const SubmissionQueue& queue, const unwind::FrameState& caller) {
  if (current_thread() == nullptr || queue.kernel_entries == nullptr || queue.entries == nullptr)
    return;
  note_rings_followed();
  const std::uint32_t room = *queue.kernel_entries;
  const std::uint32_t places = entry_places(queue.flags);
  for (std::uint32_t at = queue.head; at != queue.tail && at - queue.head < room; ++at)
    record_entry(queue.entries[(at & (room - 1)) * places], caller);
}

}  // namespace tidemark::preload
