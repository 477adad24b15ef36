/// Reads that are put into a queue of the kernel's: libaio's contexts and liburing's rings.
///
/// They are recorded when they are submitted, with the bytes that are asked for (up to the end of
/// the file), not when they complete: a completion is often taken from memory that the kernel
/// shares, without any call, and a libaio block may be gone by then.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <cstddef>
#include <cstdint>

struct io_uring_params;

namespace tidemark::preload {

/// `struct iocb` of linux/aio_abi.h, as far as it is looked at.
struct AioBlock {
  std::uint64_t data;
  std::uint32_t key;
  std::uint32_t flags;
  std::uint16_t opcode;
  std::int16_t priority;
  std::uint32_t descriptor;
  std::uint64_t buffer;
  std::uint64_t bytes;
  std::int64_t offset;
};

/// `struct io_uring_sqe` of linux/io_uring.h, as far as it is looked at.
struct RingEntry {
  std::uint8_t opcode;
  std::uint8_t flags;
  std::uint16_t priority;
  std::int32_t descriptor;
  std::uint64_t offset;
  std::uint64_t address;
  std::uint32_t length;
  std::uint32_t operation_flags;
  std::uint64_t user_data;
  std::uint16_t buffer;
  std::uint16_t personality;
  std::int32_t second_descriptor;
  std::uint64_t rest[2];
};
static_assert(sizeof(RingEntry) == 64, "as the kernel has it");

/// The beginning of liburing's `struct io_uring`, the same in each version that has the submission
/// functions below: entries [head, tail) are the program's, and not told to the kernel yet.
struct SubmissionQueue {
  std::uint32_t* kernel_head;
  std::uint32_t* kernel_tail;
  std::uint32_t* kernel_mask;
  std::uint32_t* kernel_entries;
  std::uint32_t* kernel_flags;
  std::uint32_t* kernel_dropped;
  std::uint32_t* array;
  RingEntry* entries;
  std::uint32_t head;
  std::uint32_t tail;
};

/// After io_submit, the `count` blocks that the kernel took: before it, nobody knows whether there
/// are any where the program says.
void record_aio_submit(AioBlock* const* blocks, long count, const unwind::FrameState& caller);

/// After io_uring_setup by number, of a ring that somebody makes without liburing, or liburing
/// itself. It is followed where its memory is mapped by mmap and its entries are handed over by
/// number, one after the other; else all that is known is that it was there.
void record_ring_made(long descriptor, const io_uring_params* facts);
/// After mmap of a descriptor that is no regular file.
void note_ring_mapping(int descriptor, std::uint64_t offset, void* begin);
/// Before munmap.
void note_ring_unmapping(std::uint64_t begin, std::uint64_t bytes);
/// Before close, of whatever descriptor.
void note_ring_closed(int descriptor);
/// As the program exits: that nobody has seen an entry of its rings is no loss where the kernel has
/// taken none. What ends without exit, or is killed, says nothing.
void note_rings_at_end();
/// Before io_uring_enter by number, which takes `count` entries.
void record_ring_enter(int descriptor, std::uint32_t count, const unwind::FrameState& caller);

/// While it stands, this thread is in a library's function whose reads are recorded already: some
/// make their system calls by `syscall`.
class InLibrary {
 public:
  InLibrary();
  ~InLibrary();
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;
  /// Whether one stands.
  static bool stands();
};

/// Before the entries are handed to the kernel.
void record_ring_submit(const SubmissionQueue& queue, const unwind::FrameState& caller);

}  // namespace tidemark::preload
