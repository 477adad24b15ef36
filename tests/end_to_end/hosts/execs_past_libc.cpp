// execs_past_libc PROGRAM ARGS...: a child becomes that program by the system call itself, with an
// empty environment, so that no function of libc and no preloaded object knows of it.
#include <cstdio>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
long bare_execve(const char* path, char** arguments, char** variables) {
  long result = SYS_execve;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(path), "S"(arguments), "d"(variables)
               : "rcx", "r11", "memory");
  return result;
}
}  // namespace

int main(int, char** words) {
  static char* empty[] = {nullptr};
  const pid_t child = fork();
  if (child == 0) {
    bare_execve(words[1], words + 1, empty);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("status %d\n", WEXITSTATUS(status));
}
