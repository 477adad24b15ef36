// To be preloaded into tidemark: a system that writes to unfinished files as badly as it may. With
// ODD_WRITES=short every write takes a few bytes, and every other one is interrupted first; with
// ODD_WRITES=close what was written turns out at the close not to have fitted.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

namespace {

bool is_wanted(const char* how) {
  const char* const wanted = std::getenv("ODD_WRITES");
  return wanted != nullptr && std::strcmp(wanted, how) == 0;
}

bool is_unfinished(int descriptor) {
  char link[64];
  char name[4096] = {};
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  return readlink(link, name, sizeof name - 1) > 0 &&
         (std::strstr(name, ".incomplete") != nullptr ||
          std::strstr(name, "/.tidemark-") != nullptr);
}

}  // namespace

extern "C" ssize_t write(int descriptor, const void* bytes, size_t size) {
  static const auto real =
      reinterpret_cast<ssize_t (*)(int, const void*, size_t)>(dlsym(RTLD_NEXT, "write"));
  static bool interrupts = false;
  if (!is_wanted("short") || !is_unfinished(descriptor))
    return real(descriptor, bytes, size);
  if (interrupts = !interrupts; interrupts) {
    errno = EINTR;
    return -1;
  }
  constexpr size_t kFew = 7;
  return real(descriptor, bytes, size < kFew ? size : kFew);
}

extern "C" int close(int descriptor) {
  static const auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "close"));
  const bool fails = is_wanted("close") && is_unfinished(descriptor);
  const int result = real(descriptor);
  if (!fails)
    return result;
  errno = ENOSPC;
  return -1;
}
