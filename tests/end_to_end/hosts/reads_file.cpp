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

bool load(const std::string& how, const char* path, char* to) {
  if (how == "fread" || how == "fopen64_fread") {
    std::FILE* file = how == "fread" ? std::fopen(path, "rb") : fopen64(path, "rb");
    const std::size_t got = std::fread(to, 1, kBytes, file);
    std::fclose(file);
    return got == kBytes;
  }
  if (how == "ifstream")
    return static_cast<bool>(std::ifstream(path, std::ios::binary).read(to, kBytes));
  const int fd = how == "openat" ? openat(AT_FDCWD, path, O_RDONLY) : open(path, O_RDONLY);
  iovec halves[2] = {{to, kHalf}, {to + kHalf, kHalf}};
  ssize_t got = 0;
  if (how == "read" || how == "openat")
    got = read(fd, to, kHalf) + read(fd, to + kHalf, kHalf);
  if (how == "dup_read") {
    const int other = dup(fd);
    close(fd);
    got = read(other, to, kBytes);
    return got == kBytes;
  }
  if (how == "pread")
    got = pread(fd, to + kHalf, kHalf, kHalf) + pread64(fd, to, kHalf, 0);
  if (how == "readv")
    got = readv(fd, halves, 2);
  if (how == "preadv")
    got = preadv(fd, halves, 2, 0);
  if (how == "mmap") {
    void* map = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fd, 0);
    std::copy_n(static_cast<char*>(map), kBytes, to);
    munmap(map, kBytes);
    got = kBytes;
  }
  close(fd);
  return got == static_cast<ssize_t>(kBytes);
}
}  // namespace

int main(int argc, char** argv) {
  // Known in size to the compiler, so that the fortified calls are the ones that are made.
  static char buffer[kBytes];
  const bool done = argc == 3 && load(argv[1], argv[2], buffer);
  unsigned sum = 0;
  for (const char byte : buffer)
    sum = sum * 31 + static_cast<unsigned char>(byte);
  std::printf("%d %u\n", done, sum);
}
