/// File reads, as far as loaders use them: what was opened, and which bytes went where.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace tidemark::preload {

/// Only regular files are recorded. A `path` that is not absolute, or nullptr, is looked up.
void record_open(int descriptor, const char* path, const unwind::FrameState& caller);

/// Before close: the number may go to another thread's open at once.
void record_close(int descriptor);

/// After dup and its kin, fcntl among them.
void record_duplicate(int from, int to);

/// Whether fcntl makes a new descriptor by this command.
constexpr bool duplicates(long command) {
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

/// Smallest read whose destination is looked at.
constexpr std::size_t kWorthALook = std::size_t{1} << 20;

/// Before a read into `room` bytes: how much of the destination is in memory already, as a few of
/// its pages tell. A buffer that is filled with zeros first shows this way, whoever fills it.
/// @return see wire::kMaxResidentShare; 0 for less than 1 MiB, and for what is no regular file.
std::uint64_t look_at_destination(int descriptor, const void* destination, std::size_t room);

/// An offset: the descriptor's own position.
constexpr std::uint64_t kAtPosition = ~std::uint64_t{0};
/// An offset that nobody knows.
constexpr std::uint64_t kNoOffset = kAtPosition - 1;

/// A read that is done.
struct ReadDone {
  const void* destination = nullptr;  ///< nullptr where the bytes go to another descriptor.
  ssize_t bytes = 0;                  ///< As the call returned it.
  std::uint64_t offset = kNoOffset;   ///< Of the first byte; kAtPosition: where the read has begun.
  std::uint64_t read_ahead = 0;       ///< kAtPosition: so many bytes beyond these were taken, too.
  std::uint64_t resident_share = 0;   ///< See `look_at_destination`.
  bool is_buffered = false;           ///< By a stream, from what it has read ahead, mostly.
};

/// After a read (of no bytes or less: nothing is recorded). From whatever descriptor: the kernel
/// counts them too, and the two sums are compared.
void record_read(int descriptor, const ReadDone& done, const unwind::FrameState& caller);

/// After a read into several buffers, which were filled one after the other.
/// @param offset of the first byte.
void record_read_parts(int descriptor,
                       const iovec* parts,
                       int count,
                       ssize_t bytes,
                       std::uint64_t offset,
                       const unwind::FrameState& caller);

/// Bytes that a stream took from its file, and that no read returns; below zero: that reads return
/// once more.
void count_unreturned(std::int64_t bytes);

/// After a splice: the kernel does not count it with the reads.
void record_splice(int descriptor, ssize_t bytes, const unwind::FrameState& caller);

/// A read that was asked for, and will be done some time: of `bytes`, or up to the end of the file.
void record_queued_read(int descriptor,
                        const void* destination,
                        std::size_t bytes,
                        std::uint64_t offset,
                        const unwind::FrameState& caller);

/// Makes a descriptor known that this process has not opened itself. @return true for a regular
/// file.
bool know_descriptor(int descriptor, const unwind::FrameState& caller);

void record_file_advise(int descriptor, off_t offset, off_t length, int advice);

}  // namespace tidemark::preload
