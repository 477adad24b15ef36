#include "reference_loaders/cli/page_cache.hpp"

#include <cstddef>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark::loaders {

void warm_page_cache(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::vector<char> buffer(std::size_t{4} << 20);
  while (fd >= 0 && read(fd, buffer.data(), buffer.size()) > 0) {
  }
  if (fd >= 0) {
    close(fd);
  }
}

void drop_page_cache(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return;
  }
  fsync(fd);  // dirty pages are not dropped
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
}

}  // namespace tidemark::loaders
