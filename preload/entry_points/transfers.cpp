// Calls that move bytes from a file to another descriptor, without a buffer of the program's. tee
// and vmsplice are left out: they work on pipes, whose bytes were recorded when they were read from
// the file.

#include "preload/entry_points/export.hpp"
#include "preload/hooks/files.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

TIDEMARK_EXPORT ssize_t sendfile(int to, int from, off_t* offset, std::size_t count) noexcept {
  real::need();
  const preload::ReadInProgress reading(from, count);
  const ssize_t bytes = real::sendfile(to, from, offset, count);
  preload::record_read(from, {.bytes = bytes}, TIDEMARK_CALLER);
  return bytes;
}
TIDEMARK_ALIAS(sendfile64, sendfile)
TIDEMARK_EXPORT ssize_t copy_file_range(
    int from, off64_t* from_offset, int to, off64_t* to_offset, std::size_t count, unsigned flags) {
  real::need();
  const preload::ReadInProgress reading(from, count);
  const ssize_t bytes = real::copy_file_range(from, from_offset, to, to_offset, count, flags);
  preload::record_read(from, {.bytes = bytes}, TIDEMARK_CALLER);
  return bytes;
}
TIDEMARK_EXPORT ssize_t splice(
    int from, off64_t* from_offset, int to, off64_t* to_offset, std::size_t count, unsigned flags) {
  real::need();
  const ssize_t bytes = real::splice(from, from_offset, to, to_offset, count, flags);
  preload::record_splice(from, bytes, TIDEMARK_CALLER);
  return bytes;
}
TIDEMARK_EXPORT ssize_t readahead(int fd, off64_t offset, std::size_t count) noexcept {
  real::need();
  const ssize_t result = real::readahead(fd, offset, count);
  preload::record_file_advise(fd, offset, static_cast<off_t>(count), POSIX_FADV_WILLNEED);
  return result;
}
