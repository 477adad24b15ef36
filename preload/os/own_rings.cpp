#include "preload/os/own_rings.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/os/text.hpp"
#include "preload/wire/session.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

bool begins_with(const char* text, const char* beginning) {
  while (*beginning != '\0') {
    if (*text++ != *beginning++)
      return false;
  }
  return true;
}

/// @param key up to the number that is its value.
bool is_zero(const char* lines, const char* key) {
  const char* line = lines;
  while (!begins_with(line, key)) {
    while (*line != '\0' && *line != '\n')
      ++line;
    if (*line == '\0')
      return false;
    ++line;
  }
  while (*key++ != '\0')
    ++line;
  return line[0] == '0' && line[1] == '\n';
}

/// Path of a file that /proc/self has for each descriptor.
struct PathOfOwn {
  PathOfOwn(const char* folder, int descriptor) {
    append(append(text, folder), static_cast<std::uint64_t>(descriptor));
  }
  char text[48];
};

bool is_ring(int descriptor) {
  char target[64];
  const long length =
      sys::read_link(PathOfOwn("/proc/self/fd/", descriptor).text, target, sizeof target - 1);
  if (length <= 0)
    return false;
  target[length] = '\0';
  return begins_with(target, "anon_inode:[io_uring]");
}

bool is_idle(int descriptor) {
  char facts[1024];  // The rest of the file lists what waits in its queues.
  const int file = sys::open(PathOfOwn("/proc/self/fdinfo/", descriptor).text, O_RDONLY);
  if (file < 0)
    return false;
  const long length = sys::read(file, facts, sizeof facts - 1);
  sys::close(file);
  if (length <= 0)
    return false;
  facts[length] = '\0';
  return is_ring_idle(facts);
}

}  // namespace

bool is_ring_idle(const char* facts) {
  return is_zero(facts, "SqHead:\t") && is_zero(facts, "CqTail:\t");
}

OwnRings own_rings(bool (*is_known)(int descriptor)) {
  if (!may(kMayAskRings))
    return {.used = 1};
  OwnRings rings;
  for (int descriptor = 0; descriptor < wire::kMaxRingDescriptors; ++descriptor) {
    if (!is_known(descriptor) && is_ring(descriptor))
      ++(is_idle(descriptor) ? rings.idle : rings.used);
  }
  return rings;
}

}  // namespace tidemark::preload
