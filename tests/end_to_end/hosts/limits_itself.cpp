// limits_itself MIB: allows itself so much more address space than it has, then starts eight
// threads that each make 100 blocks of 3091 bytes, and says how much address space it had before.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace {
std::size_t address_space_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}
}  // namespace

int main(int, char** argv) {
  const std::size_t before = address_space_bytes();
  const rlim_t limit = before + std::strtoull(argv[1], nullptr, 10) * (1 << 20);
  const rlimit both{limit, limit};
  if (setrlimit(RLIMIT_AS, &both) != 0)
    return 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 100; ++k)
        std::free(std::malloc(3091));
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  std::fprintf(stderr, "%zu\n", before);
}
