// Allocates and fills so many blocks of 1 MiB. Says after each how many are done.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

int main(int, char** arguments) {
  constexpr std::size_t kMiB = 1 << 20;
  const int count = std::atoi(arguments[1]);
  char line[64];
  for (int i = 1; i <= count; ++i) {
    void* volatile block = std::malloc(kMiB);
    std::memset(block, i, kMiB);
    (void)!write(STDOUT_FILENO, line,
                 static_cast<std::size_t>(std::snprintf(line, sizeof line, "%d\n", i)));
  }
}
