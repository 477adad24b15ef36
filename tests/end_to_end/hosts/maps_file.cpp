// maps_file PATH: maps all of it, and a part of it a second time; advises; unmaps.
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int, char** argv) {
  const int fd = open(argv[1], O_RDONLY);
  struct stat status {};
  fstat(fd, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  char* whole = static_cast<char*>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0));
  void* part = mmap(nullptr, 65536, PROT_READ, MAP_SHARED, fd, 65536);
  close(fd);  // the mapping stands without it
  madvise(whole, bytes, MADV_WILLNEED);
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes; i += 512)
    sum = sum * 31 + static_cast<unsigned char>(whole[i]);
  std::printf("%u\n", sum);
  munmap(part, 65536);
  munmap(whole, bytes);
}
