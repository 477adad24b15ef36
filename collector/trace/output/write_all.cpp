#include "collector/trace/output/write_all.hpp"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace tidemark::trace {
namespace {

/// Waits until a non-blocking descriptor accepts more.
void wait_for_room(int descriptor) {
  pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
  ::poll(&room, 1, -1);
}

}  // namespace

int write_all(int descriptor, const void* bytes, std::size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size != 0) {
    const ssize_t written = ::write(descriptor, at, size);
    if (written < 0 && errno == EAGAIN) {
      wait_for_room(descriptor);
    } else if (written < 0 && errno != EINTR) {
      return errno;
    } else if (written == 0) {
      return ENOSPC;
    } else if (written > 0) {
      at += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  return 0;
}

}  // namespace tidemark::trace
