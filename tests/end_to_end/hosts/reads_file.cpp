// reads_file HOW PATH: all of a file of 1 MiB in one of the ways that loaders use, into one buffer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {
constexpr std::size_t kBytes = 1 << 20;
constexpr std::size_t kHalf = kBytes / 2;
char g_buffer[kBytes];
// The compiler knows how much room there is, and not how much is read: then fortified calls are
// made.
volatile std::size_t g_bytes = kBytes;

bool load(const std::string& how, const char* path) {
  const std::size_t all = g_bytes;
  const std::size_t half = all / 2;
  if (how == "fread" || how == "fopen64_fread") {
    std::FILE* file = how == "fread" ? std::fopen(path, "rb") : fopen64(path, "rb");
    const std::size_t got = std::fread(g_buffer, 1, all, file);
    std::fclose(file);
    return got == kBytes;
  }
  if (how == "ifstream")
    return static_cast<bool>(std::ifstream(path, std::ios::binary).read(g_buffer, kBytes));
  const int fd = how == "openat" ? openat(AT_FDCWD, path, O_RDONLY) : open(path, O_RDONLY);
  iovec halves[2] = {{g_buffer, kHalf}, {g_buffer + kHalf, kHalf}};
  ssize_t got = 0;
  if (how == "read" || how == "openat")
    got = read(fd, g_buffer, half) + read(fd, g_buffer + kHalf, half);
  if (how == "dup_read") {
    const int other = dup(fd);
    close(fd);
    got = read(other, g_buffer, all);
    return got == kBytes;
  }
  if (how == "pread")
    got = pread(fd, g_buffer + kHalf, half, kHalf) + pread64(fd, g_buffer, half, 0);
  if (how == "readv")
    got = readv(fd, halves, 2);
  if (how == "preadv")
    got = preadv(fd, halves, 2, 0);
  if (how == "mmap") {
    void* map = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fd, 0);
    std::copy_n(static_cast<char*>(map), kBytes, g_buffer);
    munmap(map, kBytes);
    got = kBytes;
  }
  close(fd);
  return got == static_cast<ssize_t>(kBytes);
}
}  // namespace

int main(int argc, char** argv) {
  const bool done = argc == 3 && load(argv[1], argv[2]);
  unsigned sum = 0;
  for (const char byte : g_buffer)
    sum = sum * 31 + static_cast<unsigned char>(byte);
  std::printf("%d %u\n", done, sum);
}
