// Says its pid, then allocates without end; says every 100,000 allocations how many are done.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

int main() {
  char line[64];
  (void)!write(STDOUT_FILENO, line,
               static_cast<std::size_t>(std::snprintf(line, sizeof line, "%d\n", getpid())));
  for (int i = 1;; ++i) {
    void* volatile block = std::malloc(4321);
    std::free(block);
    if (i % 100000 == 0)
      (void)!write(STDOUT_FILENO, line,
                   static_cast<std::size_t>(std::snprintf(line, sizeof line, "%d\n", i)));
  }
}
