#include "collector/family/members/image_watch.hpp"

#include "collector/process/proc_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace tidemark {

std::string mapped_file_key(int descriptor) {
  struct stat file {};
  if (::fstat(descriptor, &file) != 0) {
    return {};
  }
  return fmt::format(" {:02x}:{:02x} {} ", major(file.st_dev), minor(file.st_dev), file.st_ino);
}

ImageWatch::ImageWatch(pid_t pid) : maps_(unless_among_the_last(open_proc(pid, "maps"))) {}

bool ImageWatch::is_alive() const {
  // One byte makes the kernel format one mapping. None are left once the image is gone.
  char first = 0;
  return !maps_.is_open() || ::pread(maps_.number(), &first, 1, 0) == 1;
}

bool ImageWatch::maps_file(const std::string& key) const {
  if (!maps_.is_open() || key.empty()) {
    return false;
  }
  constexpr std::size_t kChunk = 16384;
  std::string text;
  std::string chunk(kChunk, '\0');
  off_t at = 0;
  // The key may lie across two reads: the end of each one is looked at with the next.
  for (ssize_t got = 0; (got = ::pread(maps_.number(), chunk.data(), kChunk, at)) > 0; at += got) {
    text.append(chunk, 0, static_cast<std::size_t>(got));
    if (text.find(key) != std::string::npos) {
      return true;
    }
    text.erase(0, text.size() - std::min(text.size(), key.size()));
  }
  return false;
}

}  // namespace tidemark
