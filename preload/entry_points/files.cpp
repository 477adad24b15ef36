// File input as loaders use it, under all the names that libc gives it: the 64-bit ones are the
// same functions on x86-64, the fortified ones check the buffer first.

#include "preload/hooks/files.hpp"

#include "preload/entry_points/export.hpp"
#include "preload/entry_points/stream.hpp"
#include "preload/hooks/exec.hpp"
#include "preload/hooks/queued_reads.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

namespace {

using preload::descriptor_of;

bool takes_mode(int flags) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0;
}

int opened(int descriptor, const char* path, const tidemark::unwind::FrameState& caller) {
  preload::record_open(descriptor, path, caller);
  return descriptor;
}

FILE* opened(FILE* stream, const char* path, const tidemark::unwind::FrameState& caller) {
  if (stream != nullptr)
    preload::record_open(descriptor_of(stream), path, caller);
  return stream;
}

/// A stream is about to lose its descriptor.
void record_stream_end(FILE* stream) {
  preload::record_close(descriptor_of(stream));
  preload::count_unreturned(preload::StreamBuffer(stream).unreturned());
  preload::note_read_ahead(descriptor_of(stream), 0);
}

void before_close_range(unsigned first, unsigned last, unsigned flags) {
  preload::record_close_range(first, last, flags);
  preload::note_rings_closed(first, last, flags);
}

int close_all_but_kept(unsigned first, unsigned last, int flags) {
  for (;;) {
    const int kept_one = preload::kept_descriptor_in(first, last);
    if (kept_one < 0)
      return real::close_range(first, last, flags);
    const auto kept = static_cast<unsigned>(kept_one);
    const int result = first < kept ? real::close_range(first, kept - 1, flags) : 0;
    if (result != 0 || kept == last)
      return result;
    first = kept + 1;
  }
}

/// fcntl: Python's os.dup and NumPy's fromfile duplicate descriptors through it.
int controlled(int fd, int command, int result) {
  if (preload::duplicates(command))
    preload::record_duplicate(fd, result);
  return result;
}

using preload::kAtPosition;

ssize_t was_read(int fd,
                 const void* to,
                 ssize_t bytes,
                 std::uint64_t offset,
                 std::uint64_t resident_share,
                 const tidemark::unwind::FrameState& caller) {
  preload::record_read(
      fd, {.destination = to, .bytes = bytes, .offset = offset, .resident_share = resident_share},
      caller);
  return bytes;
}

ssize_t was_read(int fd,
                 const iovec* parts,
                 int count,
                 ssize_t bytes,
                 std::uint64_t offset,
                 const tidemark::unwind::FrameState& caller) {
  preload::record_read_parts(fd, parts, count, bytes, offset, caller);
  return bytes;
}

/// preadv2's -1, which means the descriptor's position, becomes kAtPosition.
std::uint64_t as_offset(off_t offset) {
  return static_cast<std::uint64_t>(offset);
}

/// After a line, or a part of one.
void record_line(FILE* stream,
                 const char* line,
                 ssize_t bytes,
                 const tidemark::unwind::FrameState& caller) {
  if (bytes > 0) {
    preload::record_read(descriptor_of(stream),
                         {.destination = line,
                          .bytes = bytes,
                          .offset = kAtPosition,
                          .read_ahead = static_cast<std::uint64_t>(preload::read_ahead(stream)),
                          .is_buffered = true},
                         caller);
    preload::StreamBuffer::note_returned(stream, bytes);
  }
}

/// After fgets and its kin: `line` is nullptr, or the line, taken to end at its first zero, as for
/// its user.
char* fgets_done(FILE* stream, char* line, const tidemark::unwind::FrameState& caller) {
  if (line != nullptr)
    record_line(stream, line, static_cast<ssize_t>(strlen(line)), caller);
  return line;
}

ssize_t getdelim_done(FILE* stream,
                      char* const* line,
                      ssize_t bytes,
                      const tidemark::unwind::FrameState& caller) {
  if (bytes > 0)
    record_line(stream, *line, bytes, caller);
  return bytes;
}

std::uint64_t destination_of(FILE* stream, const void* to, std::size_t size, std::size_t count) {
  std::size_t capacity = 0;
  // Before looking at the stream, which may be null in a read of nothing.
  if (__builtin_mul_overflow(size, count, &capacity) || capacity < preload::kWorthALook)
    return 0;
  return preload::look_at_destination(descriptor_of(stream), to, capacity);
}

/// fread. Asks for bytes instead of items: else libc does not say what it has read of an item that
/// the end of the file cuts off.
/// @param read libc's own, of (size, count).
template <typename Read>
std::size_t read_items(FILE* stream,
                       const void* to,
                       std::size_t size,
                       std::size_t count,
                       const tidemark::unwind::FrameState& caller,
                       Read&& read) {
  const std::uint64_t resident = destination_of(stream, to, size, count);
  const preload::StreamInProgress reading(stream, size * count);
  std::size_t capacity = 0;
  // What libc does with a request of more than the address space is its own.
  if (size == 0 || __builtin_mul_overflow(size, count, &capacity))
    return read(size, count);
  const std::size_t bytes = read(1, capacity);
  if (bytes != 0) {
    preload::record_read(descriptor_of(stream),
                         {.destination = to,
                          .bytes = static_cast<ssize_t>(bytes),
                          .offset = kAtPosition,
                          .read_ahead = static_cast<std::uint64_t>(preload::read_ahead(stream)),
                          .resident_share = resident,
                          .is_buffered = true},
                         caller);
    preload::StreamBuffer::note_returned(stream, static_cast<std::int64_t>(bytes));
  }
  return bytes == capacity ? count : bytes / size;
}

/// For reads into several buffers: their number comes from the program and may be wrong.
constexpr std::size_t kRoomOfParts = preload::ReadInProgress::kMaxCapacity;

}  // namespace

// The mode is read only where the flags say that it is there.
#define TIDEMARK_MODE(flags)     \
  mode_t mode = 0;               \
  if (takes_mode(flags)) {       \
    va_list rest;                \
    va_start(rest, flags);       \
    mode = va_arg(rest, mode_t); \
    va_end(rest);                \
  }

// As libc itself does: a command without an argument does not look at it.
#define TIDEMARK_ARGUMENT(command)      \
  va_list rest;                         \
  va_start(rest, command);              \
  void* argument = va_arg(rest, void*); \
  va_end(rest);

TIDEMARK_EXPORT int open(const char* path, int flags, ...) {
  real::need();
  TIDEMARK_MODE(flags)
  return opened(real::open(path, flags, mode), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(open64, open)
TIDEMARK_EXPORT int __open_2(const char* path, int flags) {
  real::need();
  return opened(real::open(path, flags), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(__open64_2, __open_2)
TIDEMARK_EXPORT int openat(int directory, const char* path, int flags, ...) {
  real::need();
  TIDEMARK_MODE(flags)
  return opened(real::openat(directory, path, flags, mode), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(openat64, openat)
TIDEMARK_EXPORT int __openat_2(int directory, const char* path, int flags) {
  real::need();
  return opened(real::openat(directory, path, flags), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(__openat64_2, __openat_2)
TIDEMARK_EXPORT int creat(const char* path, mode_t mode) {
  real::need();
  return opened(real::creat(path, mode), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(creat64, creat)
TIDEMARK_EXPORT FILE* fopen(const char* path, const char* mode) {
  real::need();
  return opened(real::fopen(path, mode), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(fopen64, fopen)
TIDEMARK_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  real::need();
  record_stream_end(stream);
  return opened(real::freopen(path, mode, stream), path, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(freopen64, freopen)

TIDEMARK_EXPORT int close(int fd) {
  real::need();
  if (preload::kept_descriptor_in(static_cast<unsigned>(fd), static_cast<unsigned>(fd)) >= 0)
    return 0;
  preload::record_close(fd);
  preload::note_ring_closed(fd);
  return real::close(fd);
}
TIDEMARK_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  real::need();
  before_close_range(first, last, static_cast<unsigned>(flags));
  return close_all_but_kept(first, last, flags);
}
TIDEMARK_EXPORT void closefrom(int first) {
  real::need();
  const unsigned from = first < 0 ? 0 : static_cast<unsigned>(first);
  before_close_range(from, ~0U, 0);
  if (preload::kept_descriptor_in(from, ~0U) < 0)
    real::closefrom(first);
  else
    close_all_but_kept(from, ~0U, 0);
}
TIDEMARK_EXPORT int fclose(FILE* stream) {
  real::need();
  record_stream_end(stream);
  return real::fclose(stream);
}
TIDEMARK_EXPORT int dup(int fd) {
  real::need();
  const int copy = real::dup(fd);
  preload::record_duplicate(fd, copy);
  return copy;
}
TIDEMARK_EXPORT int dup2(int fd, int to) {
  real::need();
  const int copy = real::dup2(fd, to);
  preload::record_duplicate(fd, copy);
  return copy;
}
TIDEMARK_EXPORT int dup3(int fd, int to, int flags) {
  real::need();
  const int copy = real::dup3(fd, to, flags);
  preload::record_duplicate(fd, copy);
  return copy;
}
TIDEMARK_EXPORT int fcntl(int fd, int command, ...) {
  real::need();
  TIDEMARK_ARGUMENT(command)
  return controlled(fd, command, real::fcntl(fd, command, argument));
}
TIDEMARK_ALIAS(fcntl64, fcntl)

TIDEMARK_EXPORT ssize_t read(int fd, void* to, std::size_t size) {
  real::need();
  const std::uint64_t resident = preload::look_at_destination(fd, to, size);
  const preload::ReadInProgress reading(fd, size);
  return was_read(fd, to, real::read(fd, to, size), kAtPosition, resident, TIDEMARK_CALLER);
}
TIDEMARK_EXPORT ssize_t __read_chk(int fd, void* to, std::size_t size, std::size_t capacity) {
  real::need();
  const std::uint64_t resident = preload::look_at_destination(fd, to, size);
  const preload::ReadInProgress reading(fd, size);
  return was_read(fd, to, real::__read_chk(fd, to, size, capacity), kAtPosition, resident,
                  TIDEMARK_CALLER);
}
TIDEMARK_EXPORT ssize_t pread(int fd, void* to, std::size_t size, off_t offset) {
  real::need();
  const std::uint64_t resident = preload::look_at_destination(fd, to, size);
  const preload::ReadInProgress reading(fd, size);
  return was_read(fd, to, real::pread(fd, to, size, offset), as_offset(offset), resident,
                  TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(pread64, pread)
TIDEMARK_EXPORT ssize_t
__pread_chk(int fd, void* to, std::size_t size, off_t offset, std::size_t capacity) {
  real::need();
  const std::uint64_t resident = preload::look_at_destination(fd, to, size);
  const preload::ReadInProgress reading(fd, size);
  return was_read(fd, to, real::__pread_chk(fd, to, size, offset, capacity), as_offset(offset),
                  resident, TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(__pread64_chk, __pread_chk)
TIDEMARK_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  real::need();
  const preload::ReadInProgress reading(fd, kRoomOfParts);
  return was_read(fd, parts, count, real::readv(fd, parts, count), kAtPosition, TIDEMARK_CALLER);
}
TIDEMARK_EXPORT ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  real::need();
  const preload::ReadInProgress reading(fd, kRoomOfParts);
  return was_read(fd, parts, count, real::preadv(fd, parts, count, offset), as_offset(offset),
                  TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(preadv64, preadv)
TIDEMARK_EXPORT ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  real::need();
  const preload::ReadInProgress reading(fd, kRoomOfParts);
  return was_read(fd, parts, count, real::preadv2(fd, parts, count, offset, flags),
                  as_offset(offset), TIDEMARK_CALLER);
}
TIDEMARK_ALIAS(preadv64v2, preadv2)

TIDEMARK_EXPORT std::size_t fread(void* to, std::size_t size, std::size_t count, FILE* stream) {
  real::need();
  return read_items(
      stream, to, size, count, TIDEMARK_CALLER,
      [=](std::size_t one, std::size_t items) { return real::fread(to, one, items, stream); });
}
TIDEMARK_EXPORT std::size_t fread_unlocked(void* to,
                                           std::size_t size,
                                           std::size_t count,
                                           FILE* stream) {
  real::need();
  return read_items(stream, to, size, count, TIDEMARK_CALLER,
                    [=](std::size_t one, std::size_t items) {
                      return real::fread_unlocked(to, one, items, stream);
                    });
}
TIDEMARK_EXPORT std::size_t __fread_chk(
    void* to, std::size_t capacity, std::size_t size, std::size_t count, FILE* stream) {
  real::need();
  return read_items(stream, to, size, count, TIDEMARK_CALLER,
                    [=](std::size_t one, std::size_t items) {
                      return real::__fread_chk(to, capacity, one, items, stream);
                    });
}
TIDEMARK_EXPORT std::size_t __fread_unlocked_chk(
    void* to, std::size_t capacity, std::size_t size, std::size_t count, FILE* stream) {
  real::need();
  return read_items(stream, to, size, count, TIDEMARK_CALLER,
                    [=](std::size_t one, std::size_t items) {
                      return real::__fread_unlocked_chk(to, capacity, one, items, stream);
                    });
}

TIDEMARK_EXPORT char* fgets(char* line, int size, FILE* stream) {
  real::need();
  const preload::StreamInProgress reading(stream);
  return fgets_done(stream, real::fgets(line, size, stream), TIDEMARK_CALLER);
}
TIDEMARK_EXPORT char* fgets_unlocked(char* line, int size, FILE* stream) {
  real::need();
  const preload::StreamInProgress reading(stream);
  return fgets_done(stream, real::fgets_unlocked(line, size, stream), TIDEMARK_CALLER);
}
TIDEMARK_EXPORT char* __fgets_chk(char* line, std::size_t capacity, int size, FILE* stream) {
  real::need();
  const preload::StreamInProgress reading(stream);
  return fgets_done(stream, real::__fgets_chk(line, capacity, size, stream), TIDEMARK_CALLER);
}
TIDEMARK_EXPORT char* __fgets_unlocked_chk(char* line,
                                           std::size_t capacity,
                                           int size,
                                           FILE* stream) {
  real::need();
  const preload::StreamInProgress reading(stream);
  return fgets_done(stream, real::__fgets_unlocked_chk(line, capacity, size, stream),
                    TIDEMARK_CALLER);
}
// Defined under another name, since <bits/stdio.h> has a body for this one.
TIDEMARK_EXPORT ssize_t line_of_stream(char**, std::size_t*, FILE*) asm("getline");
ssize_t line_of_stream(char** line, std::size_t* size, FILE* stream) {
  real::need();
  const preload::StreamInProgress reading(stream);
  return getdelim_done(stream, line, real::getdelim(line, size, '\n', stream), TIDEMARK_CALLER);
}
TIDEMARK_EXPORT ssize_t getdelim(char** line, std::size_t* size, int end, FILE* stream) {
  real::need();
  const preload::StreamInProgress reading(stream);
  return getdelim_done(stream, line, real::getdelim(line, size, end, stream), TIDEMARK_CALLER);
}
// In optimised code getline becomes this call, through <bits/stdio.h>.
TIDEMARK_ALIAS(__getdelim, getdelim)

TIDEMARK_EXPORT int posix_fadvise(int fd, off_t offset, off_t length, int advice) {
  real::need();
  const int result = real::posix_fadvise(fd, offset, length, advice);
  preload::record_file_advise(fd, offset, length, advice);
  return result;
}
TIDEMARK_ALIAS(posix_fadvise64, posix_fadvise)
