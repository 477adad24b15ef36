// What C++'s library of Debian 12 asks of glibc 2.36, for std::random_device: from the kernel, so
// that an older glibc will do.
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
    if (errno != EINTR) {
      std::abort();  // As glibc's own, which has no way to say that there is no number.
    }
  }
  return number;
}
