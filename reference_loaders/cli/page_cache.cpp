#include "reference_loaders/cli/page_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <new>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tidemark::loaders {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

/// Copies a file as dd does: a block is read, and written behind the blocks before it.
void copy_to(int memory, const std::filesystem::path& file, std::vector<char>& block) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  for (ssize_t count = 1; fd >= 0 && count > 0;) {
    count = read(fd, block.data(), block.size());
    if (count > 0 && write(memory, block.data(), static_cast<std::size_t>(count)) != count) {
      break;
    }
  }
  if (fd >= 0) {
    close(fd);
  }
}

double seconds_of_one_go(const std::vector<std::filesystem::path>& files) {
  const int memory = memfd_create("fresh", MFD_CLOEXEC);
  if (memory < 0) {
    throw std::bad_alloc();
  }
  std::vector<char> block(kBlockBytes);
  const auto start = std::chrono::steady_clock::now();
  for (const auto& file : files) {
    copy_to(memory, file, block);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  close(memory);
  return took.count();
}

}  // namespace

void warm_page_cache(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::vector<char> buffer(kBlockBytes);
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

void write_back(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

double seconds_to_read(const std::vector<std::filesystem::path>& files) {
  return std::min(seconds_of_one_go(files), seconds_of_one_go(files));
}

}  // namespace tidemark::loaders
