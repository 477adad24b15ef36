// Goes into an empty root, from where no way leads to /proc; then forks, and starts threads. Each
// of the four makes 100 blocks of 3101 bytes.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
void work() {
  for (int i = 0; i < 100; ++i)
    std::free(std::malloc(3101));
}
}  // namespace

int main(int, char** argv) {
  if (mkdir(argv[1], 0700) != 0 || chroot(argv[1]) != 0 || chdir("/") != 0)
    return 77;
  work();
  std::thread(work).join();
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::thread(work).join();
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
