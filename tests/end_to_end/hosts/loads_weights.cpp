// loads_weights PATH: the naive loader. Reads a file of weights as a whole, then copies it into its
// final place: two copies for a moment.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int, char** argv) {
  const int fd = open(argv[1], O_RDONLY);
  struct stat status {};
  fstat(fd, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  char* raw = static_cast<char*>(std::malloc(bytes));
  std::size_t at = 0;
  while (at < bytes) {
    const ssize_t got = read(fd, raw + at, 1 << 20);
    if (got <= 0)
      return 1;
    at += static_cast<std::size_t>(got);
  }
  close(fd);
  char* weights = static_cast<char*>(std::malloc(bytes));
  std::memcpy(weights, raw, bytes);
  std::free(raw);
  std::printf("%d\n", weights[0]);
  std::free(weights);
}
