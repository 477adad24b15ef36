/// Reads submitted to a kernel queue: libaio's contexts and liburing's rings.
///
/// They are recorded at submission, with the bytes requested (up to the end of the file), not at
/// completion: a completion is often taken from memory shared with the kernel, without any call,
/// and a libaio block may be gone by the time it completes.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <cstddef>
#include <cstdint>

struct io_uring_params;

namespace tidemark::preload {

/// `struct iocb` of linux/aio_abi.h, up to the last field that is used.
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

/// `struct io_uring_sqe` of linux/io_uring.h; only the fields that are used have real names.
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

/// The beginning of liburing's `struct io_uring`, the same in every version that has the submission
/// functions. Entries [head, tail) have not been shown to the kernel yet.
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
  std::uint64_t rest[4];
  std::uint64_t completions[11];
  std::uint32_t flags;  ///< IORING_SETUP_...
};
static_assert(offsetof(SubmissionQueue, flags) == 192, "as liburing has it");

/// After io_submit, for the `count` blocks that the kernel accepted. Before the call, the program's
/// pointers could not be trusted.
void record_aio_submit(AioBlock* const* blocks, long count, const unwind::FrameState& caller);

/// After io_uring_setup by number, whether the program or liburing calls it. The ring's entries are
/// followed if it is mapped by mmap and entered by number, in order; otherwise only its existence
/// is known.
void record_ring_made(long descriptor, const io_uring_params* facts);
/// After mmap of a descriptor that is not a regular file.
void note_ring_mapping(int descriptor, std::uint64_t offset, void* begin);
/// Before munmap.
void note_ring_unmapping(std::uint64_t begin, std::uint64_t bytes);
/// Before close, for every descriptor.
void note_ring_closed(int descriptor);
/// Before close_range, of the descriptors from `first` to `last` inclusive.
void note_rings_closed(unsigned first, unsigned last, unsigned flags);
/// At exit: if the kernel took no entry from the program's rings, then having seen none is not
/// reported as a loss. Not called for a process that is killed or ends without exit().
void note_rings_at_end();
/// Before io_uring_enter by number, which takes `count` entries.
void record_ring_enter(int descriptor, std::uint32_t count, const unwind::FrameState& caller);

/// While one exists, this thread is inside a library function whose reads are recorded already:
/// some libraries make their system calls through `syscall`, which must not record them again.
class InLibrary {
 public:
  InLibrary();
  ~InLibrary();
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;
  /// Whether this thread has one.
  static bool stands();
};

/// Before the entries are handed to the kernel.
void record_ring_submit(const SubmissionQueue& queue, const unwind::FrameState& caller);

}  // namespace tidemark::preload
