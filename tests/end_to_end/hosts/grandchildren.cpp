// A family of four generations, each with a block of its own size: 5030, 5031, 5032, 5033.
#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

int main() {
  for (std::size_t generation = 0; generation < 4; ++generation) {
    void* volatile block = std::malloc(5030 + generation);
    *static_cast<char*>(block) = 1;
    if (generation == 3)
      return 0;
    const pid_t child = fork();
    if (child != 0) {
      int status = 0;
      waitpid(child, &status, 0);
      return WEXITSTATUS(status);
    }
  }
}
