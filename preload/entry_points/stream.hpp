/// What a stream holds in its buffer, read from the fields of struct FILE in glibc's headers.
#pragma once

#include "preload/hooks/files.hpp"

#include <algorithm>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

namespace tidemark::preload {

/// fileno that preserves errno, which fileno sets for a stream without a descriptor (fmemopen).
inline int descriptor_of(FILE* stream) {
  const int before = errno;
  const int descriptor = fileno_unlocked(stream);
  errno = before;
  return descriptor;
}

/// Bytes that the stream has read from its file but not returned to the program yet.
inline std::int64_t read_ahead(const FILE* stream) {
  return stream->_IO_read_end - stream->_IO_read_ptr;
}

/// In scope while libc reads from a stream: it may fill the stream's buffer as well. Does nothing
/// for a small read through a small buffer, as most are.
class StreamInProgress {
 public:
  /// A call that fills the buffer at most.
  explicit StreamInProgress(FILE* stream) {
    if (buffer_bytes(stream) >= ReadInProgress::kMinCapacity) [[unlikely]]
      begin(stream, buffer_bytes(stream));
  }
  /// @param capacity for what the read returns. A read of nothing may be from no stream at all.
  StreamInProgress(FILE* stream, std::size_t capacity) {
    if (capacity == 0)
      return;
    capacity += buffer_bytes(stream);
    if (capacity >= ReadInProgress::kMinCapacity) [[unlikely]]
      begin(stream, capacity);
  }
  ~StreamInProgress() {
    if (stream_ != nullptr) [[unlikely]]
      end();
  }
  StreamInProgress(const StreamInProgress&) = delete;
  StreamInProgress& operator=(const StreamInProgress&) = delete;

 private:
  static std::size_t buffer_bytes(const FILE* stream) {
    return static_cast<std::size_t>(stream->_IO_buf_end - stream->_IO_buf_base);
  }
  [[gnu::noinline]] void begin(FILE* stream, std::size_t capacity) {
    stream_ = stream;
    reading_.begin(descriptor_of(stream), capacity);
  }
  [[gnu::noinline]] void end() {
    const std::int64_t ahead = read_ahead(stream_);
    note_read_ahead(descriptor_of(stream_), ahead > 0 ? static_cast<std::uint64_t>(ahead) : 0);
  }

  FILE* stream_ = nullptr;
  ReadInProgress reading_;
};

/// How many of the bytes now in a stream's buffer have been counted as read. Kept for the stream
/// that this thread used last.
struct CountedBuffer {
  const FILE* stream = nullptr;
  const char* end = nullptr;
  std::int64_t bytes = 0;
};
inline constinit thread_local CountedBuffer t_counted;

/// Snapshot of a stream's buffer before a call that may discard it. libc fills the buffer without
/// passing through a hook, so discarded bytes appear in no recorded read.
class StreamBuffer {
 public:
  /// A wide-character stream, or one being written, reports nothing.
  explicit StreamBuffer(FILE* stream)
      : position_(stream->_offset),
        is_read_(stream->_mode <= 0 && stream->_IO_write_ptr == stream->_IO_write_base &&
                 descriptor_of(stream) >= 0) {
    constexpr int kInBackup = 0x100;  // ungetc pushed back a byte that is not the file's.
    const bool is_aside = (stream->_flags & kInBackup) != 0;
    end_ = is_aside ? stream->_IO_save_end : stream->_IO_read_end;
    next_ = is_aside ? stream->_IO_save_base : stream->_IO_read_ptr;
  }

  /// After a hooked read of `bytes`: marks as counted those that are still in the buffer.
  static void note_returned(const FILE* stream, std::int64_t bytes) {
    counted_in(stream) += std::min(bytes, stream->_IO_read_ptr - stream->_IO_read_base);
  }
  /// After a seek: how many bytes read from the file no read will ever return, less those that a
  /// read will return a second time. The latter are limited to the counted ones, since bytes
  /// returned by getc and fscanf are not counted.
  [[nodiscard]] std::int64_t unreturned_by(const FILE* stream) const {
    if (!is_read_)
      return 0;
    const bool is_same = stream->_IO_read_end == end_ && stream->_offset == position_;
    if (!is_same) {
      const std::int64_t skipped = stream->_IO_read_ptr - stream->_IO_read_base;
      t_counted = {stream, stream->_IO_read_end, skipped};
      return (end_ - next_) + skipped;
    }
    std::int64_t& counted = counted_in(stream);
    const std::int64_t moved = std::max(stream->_IO_read_ptr - next_, -counted);
    counted += moved;
    return moved;
  }
  /// The same when the stream is closed.
  [[nodiscard]] std::int64_t unreturned() const { return is_read_ ? end_ - next_ : 0; }

 private:
  static std::int64_t& counted_in(const FILE* stream) {
    if (t_counted.stream != stream || t_counted.end != stream->_IO_read_end)
      t_counted = {stream, stream->_IO_read_end, 0};
    return t_counted.bytes;
  }

  const char* end_ = nullptr;
  const char* next_ = nullptr;
  off64_t position_;  ///< File position at the end of the buffer.
  bool is_read_;
};

}  // namespace tidemark::preload
