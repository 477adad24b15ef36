// reads_nothing: a read of no bytes, and one of no items, from a stream that is not there. libc
// looks at neither the stream nor the buffer then.
#include <cstdio>

int main() {
  char buffer[1];
  std::FILE* volatile no_stream = nullptr;
  volatile std::size_t nothing = 0;
  const std::size_t no_bytes = std::fread(buffer, nothing, 5, no_stream);
  const std::size_t no_items = std::fread(buffer, 5, nothing, no_stream);
  std::printf("%zu %zu\n", no_bytes, no_items);
}
