// fills_then_reads HOW PATH: reads a file into a buffer of 64 MiB, which is fresh ("fresh"), or was
// set to zeros by memset ("memset") or by a loop ("loop") before.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace {
constexpr std::size_t kBytes = std::size_t{64} << 20;
}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  const int file = open(argv[2], O_RDONLY);
  auto* buffer = static_cast<char*>(std::malloc(kBytes));
  if (how == "memset")
    std::memset(buffer, 0, kBytes);
  if (how == "loop") {
    for (std::size_t i = 0; i < kBytes; i += 64)
      static_cast<volatile char*>(buffer)[i] = 0;
  }
  const ssize_t got = read(file, buffer, kBytes);
  std::printf("%zd %d\n", got, buffer[100]);
  std::free(buffer);
  close(file);
}
