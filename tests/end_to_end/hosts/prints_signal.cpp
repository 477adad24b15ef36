// prints_signal NUMBER handle|default: says "ready", waits for the signal; the handler exits
// with 40.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

int main(int, char** argv) {
  if (std::strcmp(argv[2], "handle") == 0)
    std::signal(std::atoi(argv[1]), [](int) { _exit(40); });
  std::puts("ready");
  std::fflush(stdout);
  for (;;)
    pause();
}
