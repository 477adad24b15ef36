// forks_then_lives: two processes of one program, 0.3 s each.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

int main() {
  const pid_t child = fork();
  poll(nullptr, 0, 300);
  if (child == 0)
    _exit(0);
  waitpid(child, nullptr, 0);
}
