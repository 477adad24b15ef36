/// The file I/O that loaders use: which files were opened, and which bytes were read to where.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace tidemark::preload {

/// Records regular files only. If `path` is relative or nullptr, asks the kernel for the file's
/// path.
void record_open(int descriptor, const char* path, const unwind::FrameState& caller);

// What a vfork child does with its descriptors is not recorded: they are not this process's.

/// Before close, since another thread's open may get the number at once.
void record_close(int descriptor);

/// Before close_range, of the descriptors from `first` to `last` inclusive.
void record_close_range(unsigned first, unsigned last, unsigned flags);

/// After dup and its kin, fcntl among them.
void record_duplicate(int from, int to);

/// Whether fcntl makes a new descriptor by this command.
constexpr bool duplicates(long command) {
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

/// Smallest read whose destination is checked for resident pages.
constexpr std::size_t kWorthALook = std::size_t{1} << 20;

/// In scope from before a read until it is recorded. Between the kernel's count and ours a thread
/// may wait for its turn for a long time; meanwhile its bytes must not look unseen. A thread that
/// is cancelled in a read, or jumps out of one from a signal handler, keeps its bytes counted as
/// being read; that many unseen bytes are later reported as lost, without a file name.
class ReadInProgress {
 public:
  /// Smaller reads are less than what the collector takes for an unseen one (64 KiB).
  static constexpr std::size_t kMinCapacity = std::size_t{16} << 10;
  /// The kernel's limit.
  static constexpr std::size_t kMaxCapacity = 0x7ffff000;

  ReadInProgress() = default;
  /// @param capacity the most bytes that the read may return.
  ReadInProgress(int descriptor, std::size_t capacity) {
    if (capacity >= kMinCapacity)
      begin(descriptor, capacity);
  }
  ~ReadInProgress() {
    if (being_read_ != nullptr)
      end();
  }
  /// Once, and only if made without a descriptor. `capacity` is kMinCapacity or more.
  void begin(int descriptor, std::size_t capacity);
  ReadInProgress(const ReadInProgress&) = delete;
  ReadInProgress& operator=(const ReadInProgress&) = delete;

 private:
  void end();

  std::atomic<std::uint64_t>* being_read_ = nullptr;
  std::uint64_t capacity_ = 0;
};

/// Call after a call on the stream of `descriptor`: the stream holds `bytes` of its file that no
/// read has returned yet. Only the stream that a thread used last counts as being read; what that
/// held when the thread ended counts so until the process ends.
void note_read_ahead(int descriptor, std::uint64_t bytes);

/// Before a read into `capacity` bytes: estimates from a few pages how much of the destination is
/// resident already. This shows a buffer that was zeroed first, whoever zeroed it.
/// @return see wire::kMaxResidentShare; 0 below kWorthALook and for anything but a regular file.
std::uint64_t look_at_destination(int descriptor, const void* destination, std::size_t capacity);

/// As an offset: the descriptor's own position.
constexpr std::uint64_t kAtPosition = ~std::uint64_t{0};
/// As an offset: unknown.
constexpr std::uint64_t kNoOffset = kAtPosition - 1;

/// A read that is done.
struct ReadDone {
  const void* destination = nullptr;  ///< nullptr where the bytes go to another descriptor.
  ssize_t bytes = 0;                  ///< As the call returned it.
  /// Where in the file the first byte is; kAtPosition: where the read began.
  std::uint64_t offset = kNoOffset;
  std::uint64_t read_ahead = 0;      ///< With kAtPosition: bytes that were read beyond these.
  std::uint64_t resident_share = 0;  ///< See `look_at_destination`.
  bool is_buffered = false;          ///< Through a stream, so mostly from its buffer.
};

/// After a read; records nothing for `bytes` <= 0. Call it for every descriptor, not for files
/// alone: all bytes are counted, to be compared with the kernel's own count.
void record_read(int descriptor, const ReadDone& done, const unwind::FrameState& caller);

/// After a read into several buffers, which were filled one after the other.
/// @param offset of the first byte.
void record_read_parts(int descriptor,
                       const iovec* parts,
                       int count,
                       ssize_t bytes,
                       std::uint64_t offset,
                       const unwind::FrameState& caller);

/// Counts bytes that a stream took from its file and that no read will return. Negative: bytes that
/// reads will return a second time.
void count_unreturned(std::int64_t bytes);

/// After a splice. Not added to the count of bytes read, as the kernel does not count it either.
void record_splice(int descriptor, ssize_t bytes, const unwind::FrameState& caller);

/// A read that was submitted and will complete later: of `bytes`, or up to the end of the file.
void record_queued_read(int descriptor,
                        const void* destination,
                        std::size_t bytes,
                        std::uint64_t offset,
                        const unwind::FrameState& caller);

/// Records an open for a descriptor whose opening was not seen. @return true for a regular file.
bool know_descriptor(int descriptor, const unwind::FrameState& caller);

void record_file_advise(int descriptor, off_t offset, off_t length, int advice);

}  // namespace tidemark::preload
