// Seeks in streams. They allocate nothing, but when a loader seeks from tensor to tensor, libc
// reads a page each time and uses little of it, and the kernel has counted all of it as read.

#include "preload/entry_points/export.hpp"
#include "preload/entry_points/stream.hpp"
#include "preload/hooks/files.hpp"

#include <stdio.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

namespace {

template <typename Seek>
int sought(FILE* stream, Seek&& seek) {
  real::need();
  const preload::StreamInProgress reading(stream);
  const preload::StreamBuffer buffer(stream);
  const int result = seek();
  preload::count_unreturned(buffer.unreturned_by(stream));
  return result;
}

}  // namespace

TIDEMARK_EXPORT int fseek(FILE* stream, long offset, int whence) {
  return sought(stream, [&] { return real::fseek(stream, offset, whence); });
}
TIDEMARK_EXPORT int fseeko(FILE* stream, off_t offset, int whence) {
  return sought(stream, [&] { return real::fseeko(stream, offset, whence); });
}
TIDEMARK_ALIAS(fseeko64, fseeko)
TIDEMARK_EXPORT int fsetpos(FILE* stream, const fpos_t* position) {
  return sought(stream, [&] { return real::fsetpos(stream, position); });
}
TIDEMARK_EXPORT int fsetpos64(FILE* stream, const fpos64_t* position) {
  return sought(stream,
                [&] { return real::fsetpos(stream, reinterpret_cast<const fpos_t*>(position)); });
}
TIDEMARK_EXPORT void rewind(FILE* stream) {
  sought(stream, [&] {
    real::rewind(stream);
    return 0;
  });
}
