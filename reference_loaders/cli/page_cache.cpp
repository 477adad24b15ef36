#include "reference_loaders/cli/page_cache.hpp"

#include "reference_loaders/huge_pages.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tidemark::loaders {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

/// Memory that nobody has touched.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    void* const all =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
      throw std::bad_alloc();
    }
    begin_ = static_cast<char*>(all);
    advise_huge_pages(begin_, bytes_);
  }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  ~FreshMemory() { munmap(begin_, bytes_); }

  [[nodiscard]] char* begin() const { return begin_; }

 private:
  std::size_t bytes_;
  char* begin_ = nullptr;
};

/// @return where the next file goes.
char* read_into(const std::filesystem::path& file, char* at, const char* end) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  while (fd >= 0 && at < end) {
    const ssize_t count = read(fd, at, std::min(kBlockBytes, static_cast<std::size_t>(end - at)));
    if (count <= 0) {
      break;
    }
    at += count;
  }
  if (fd >= 0) {
    close(fd);
  }
  return at;
}

double seconds_of_one_go(const std::vector<std::filesystem::path>& files, std::uint64_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  const FreshMemory memory(bytes);
  char* at = memory.begin();
  for (const auto& file : files) {
    at = read_into(file, at, memory.begin() + bytes);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += std::filesystem::file_size(file);
  }
  return std::min(seconds_of_one_go(files, bytes), seconds_of_one_go(files, bytes));
}

}  // namespace tidemark::loaders
