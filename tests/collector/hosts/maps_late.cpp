// maps_late FILE: says by a byte that it is there; maps FILE once a byte comes by standard input,
// then leaves its main thread for another one, says so with a byte, and stays.
#include <csignal>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

pthread_t g_main;

void say() {
  const char byte = 'x';
  if (write(STDOUT_FILENO, &byte, 1) != 1)
    _exit(1);
}

void* stay(void*) {
  // Until the main thread is gone, as the kernel shows it: it can be joined.
  pthread_join(g_main, nullptr);
  say();
  for (;;)
    pause();
}

}  // namespace

int main(int, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  say();
  char byte = 0;
  if (read(STDIN_FILENO, &byte, 1) != 1)
    return 1;
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED)
    return 1;
  g_main = pthread_self();
  pthread_t other{};
  if (pthread_create(&other, nullptr, stay, nullptr) != 0)
    return 1;
  pthread_exit(nullptr);
}
