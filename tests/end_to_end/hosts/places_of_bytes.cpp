// places_of_bytes HOW PATH: brings part of a file, whose every eight bytes say where they are in
// it, into a heap block of kBytes in one of the ways that loaders use, not at the block's begin.
// Prints where in the block they begin, where in the file they are, as they say themselves, and how
// many.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = 400'008;
constexpr std::size_t kBegin = 1'048;
constexpr std::size_t kPart = 200'000;
constexpr std::size_t kHalf = kPart / 2;
constexpr off_t kOffset = 65'544;

// The compiler must not see that all of a block goes to another one: that may become a realloc.
char* volatile g_block = nullptr;

void from_stream(std::FILE* file, char* to) {
  char some[1000];
  std::fseek(file, kOffset - 1000, SEEK_SET);
  // From here on the stream has read ahead of what it gives.
  if (std::fread(some, 1, sizeof some, file) == sizeof some &&
      std::fread(to, 1, kHalf, file) == kHalf)
    (void)!std::fread(to + kHalf, 8, kHalf / 8, file);
}

void bring(const std::string& how, const char* path, char* to) {
  if (how == "fread") {
    std::FILE* file = std::fopen(path, "rb");
    from_stream(file, to);
    std::fclose(file);
    return;
  }
  if (how == "ifstream") {
    std::ifstream(path, std::ios::binary).seekg(kOffset).read(to, kPart);
    return;
  }
  const int fd = open(path, O_RDONLY);
  iovec halves[2] = {{to, kHalf}, {to + kHalf, kHalf}};
  if (how == "read") {
    lseek(fd, kOffset, SEEK_SET);
    (void)!read(fd, to, kHalf);
    (void)!read(dup(fd), to + kHalf, kHalf);
  } else if (how == "pread") {
    (void)!pread(fd, to + kHalf, kHalf, kOffset + kHalf);
    (void)!pread64(fd, to, kHalf, kOffset);
  } else if (how == "readv") {
    lseek(fd, kOffset, SEEK_SET);
    (void)!readv(fd, halves, 2);
  } else if (how == "preadv") {
    (void)!preadv(fd, halves, 2, kOffset);
  } else if (how == "preadv2") {
    lseek(fd, kOffset, SEEK_SET);
    (void)!preadv2(fd, halves, 2, -1, 0);
  } else if (how == "by_number") {
    lseek(fd, kOffset, SEEK_SET);
    syscall(SYS_read, fd, to, kHalf);
    syscall(SYS_pread64, fd, to + kHalf, kHalf, kOffset + kHalf);
  } else if (how == "mapped_copy") {
    const auto* map = static_cast<char*>(mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE, fd, 4096));
    std::memcpy(to, map + kOffset - 4096, kPart);
  } else if (how == "two_copies") {
    char* blob = static_cast<char*>(std::malloc(500'000));
    g_block = blob;
    (void)!pread(fd, blob + 8, 450'000, kOffset - 40'000);
    char* half_way = static_cast<char*>(std::malloc(kPart));
    g_block = half_way;
    std::memcpy(half_way, blob + 8 + 40'000, kPart);
    std::memcpy(to, half_way, kPart);
  }
  close(fd);
}

/// The file ends within the last item.
int read_cut_off(const char* path) {
  char* block = static_cast<char*>(std::malloc(std::size_t{8} * 300'000));
  g_block = block;
  std::FILE* file = std::fopen(path, "rb");
  std::printf("%zu\n", std::fread(block, 300'000, 8, file));
  std::fclose(file);
  return 0;
}

}  // namespace

int main(int, char** argv) {
  if (std::strcmp(argv[1], "cut_off") == 0)
    return read_cut_off(argv[2]);
  char* block = static_cast<char*>(std::malloc(kBytes));
  g_block = block;
  bring(argv[1], argv[2], block + kBegin);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::memcpy(&first, block + kBegin, sizeof first);
  std::memcpy(&last, block + kBegin + kPart - sizeof last, sizeof last);
  std::printf("%zu %lu %lu\n", kBegin, first, last + sizeof last - first);
}
