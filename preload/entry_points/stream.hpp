/// What a stream has in its buffer, by the fields of struct FILE that glibc's own headers show.
#pragma once

#include <algorithm>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

namespace tidemark::preload {

/// fileno without its errno: a stream over memory has no descriptor, and says so there.
inline int descriptor_of(FILE* stream) {
  const int before = errno;
  const int descriptor = fileno_unlocked(stream);
  errno = before;
  return descriptor;
}

/// What it has taken from its file, and not given out.
inline std::int64_t read_ahead(const FILE* stream) {
  return stream->_IO_read_end - stream->_IO_read_ptr;
}

/// How much is counted of what is in a stream's buffer now: of the stream that this thread used
/// last.
struct CountedBuffer {
  const FILE* stream = nullptr;
  const char* end = nullptr;
  std::int64_t bytes = 0;
};
inline constinit thread_local CountedBuffer t_counted;

/// A stream's buffer before a call that may throw it away. libc reads into it without passing a
/// hook, and what is thrown away is in no read that returned.
class StreamBuffer {
 public:
  /// Of wide characters, and while it is written, there is nothing to be told.
  explicit StreamBuffer(FILE* stream)
      : position_(stream->_offset),
        is_read_(stream->_mode <= 0 && stream->_IO_write_ptr == stream->_IO_write_base &&
                 descriptor_of(stream) >= 0) {
    constexpr int kInBackup = 0x100;  // A byte was pushed back that is not the file's.
    const bool is_aside = (stream->_flags & kInBackup) != 0;
    end_ = is_aside ? stream->_IO_save_end : stream->_IO_read_end;
    next_ = is_aside ? stream->_IO_save_base : stream->_IO_read_ptr;
  }

  /// After a read that a hook saw: so much of what is in the buffer now is counted.
  static void note_returned(const FILE* stream, std::int64_t bytes) {
    counted_in(stream) += std::min(bytes, stream->_IO_read_ptr - stream->_IO_read_base);
  }
  /// After a seek: how many bytes that were taken from the file no read will return, less those
  /// that another read will return once more. No more of these than were counted: what getc and
  /// fscanf return is not.
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
  /// The same when the stream goes.
  [[nodiscard]] std::int64_t unreturned() const { return is_read_ ? end_ - next_ : 0; }

 private:
  static std::int64_t& counted_in(const FILE* stream) {
    if (t_counted.stream != stream || t_counted.end != stream->_IO_read_end)
      t_counted = {stream, stream->_IO_read_end, 0};
    return t_counted.bytes;
  }

  const char* end_ = nullptr;
  const char* next_ = nullptr;
  off64_t position_;  ///< The file's, behind the buffer.
  bool is_read_;
};

}  // namespace tidemark::preload
