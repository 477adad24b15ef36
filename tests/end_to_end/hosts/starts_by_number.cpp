// starts_by_number PROGRAM ARGUMENTS...: in a child each, by execve and execveat, called by their
// numbers, with an environment that is empty. Its status is the sum of theirs.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
}  // namespace

int main(int, char** argv) {
  char* empty[] = {nullptr};
  pid_t child = fork();
  if (child == 0) {
    syscall(SYS_execve, argv[1], argv + 1, empty);
    _exit(99);
  }
  int sum = status_of(child);
  child = fork();
  if (child == 0) {
    syscall(SYS_execveat, AT_FDCWD, argv[1], argv + 1, empty, 0);
    _exit(99);
  }
  sum += status_of(child);
  return sum;
}
