/// What a stream has in its buffer, by the fields of struct FILE that glibc's own headers show.
#pragma once

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

/// A stream's buffer before a call that may throw it away. libc reads into it without passing a
/// hook, and what is thrown away is in no read that returned.
class StreamBuffer {
 public:
  /// Of wide characters, and while it is written, there is nothing to be told.
  explicit StreamBuffer(FILE* stream)
      : end_(stream->_IO_read_end),
        next_(stream->_IO_read_ptr),
        position_(stream->_offset),
        is_read_(stream->_mode <= 0 && stream->_IO_write_ptr == stream->_IO_write_base &&
                 descriptor_of(stream) >= 0) {}

  /// After a seek: how many bytes that were taken from the file no read will return, less those
  /// that another read will return once more.
  [[nodiscard]] std::int64_t unreturned_by(const FILE* stream) const {
    if (!is_read_)
      return 0;
    const bool is_same = stream->_IO_read_end == end_ && stream->_offset == position_;
    return is_same ? stream->_IO_read_ptr - next_
                   : (end_ - next_) + (stream->_IO_read_ptr - stream->_IO_read_base);
  }
  /// The same when the stream goes.
  [[nodiscard]] std::int64_t unreturned() const { return is_read_ ? end_ - next_ : 0; }

 private:
  const char* end_;
  const char* next_;
  off64_t position_;  ///< The file's, behind the buffer.
  bool is_read_;
};

}  // namespace tidemark::preload
