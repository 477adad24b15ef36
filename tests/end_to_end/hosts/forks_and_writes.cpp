// forks_and_writes HOW: two children that write the 16 MiB that they have from their parent, and
// call nothing of libc's: not even to end. Those of `instruction` are made by the system call
// itself, past every hook; so are those that write nothing: of `vfork`, which have no memory of
// their own, and of `idle`.
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <pty.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20U;
constexpr std::size_t kPageBytes = 4096;

char* block;

// Always in the caller's frame, which a vfork child has in common with its parent.
[[gnu::always_inline]] inline long instruction(long number, long first, long second) {
  register long fourth asm("r10") = 0;
  register long fifth asm("r8") = 0;
  long result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(first), "S"(second), "d"(0L), "r"(fourth), "r"(fifth)
               : "rcx", "r11", "memory");
  return result;
}

void rest() {
  const timespec pause{0, 200'000'000};
  instruction(SYS_nanosleep, reinterpret_cast<long>(&pause), 0);
}

int write_and_end(void*) {
  for (std::size_t at = 0; at < kBytes; at += kPageBytes)
    block[at] = 2;
  rest();
  instruction(SYS_exit_group, 0, 0);
  return 0;
}

pid_t fork_as(std::string_view how) {
  if (how == "fork")
    return fork();
  if (how == "forkpty") {
    int terminal = 0;
    return forkpty(&terminal, nullptr, nullptr, nullptr);
  }
  if (how == "daemon") {
    const pid_t child = fork();
    if (child == 0)
      return daemon(1, 1);
    waitpid(child, nullptr, 0);
    return child;
  }
  if (how == "clone") {
    static char stack[1 << 16];
    return clone(write_and_end, stack + sizeof stack, SIGCHLD, nullptr);
  }
  if (how == "fork by number")
    return static_cast<pid_t>(syscall(SYS_fork));
  if (how == "clone by number")
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  return static_cast<pid_t>(instruction(SYS_clone, SIGCHLD, 0));
}

void fork_idle(long flags) {
  if (instruction(SYS_clone, flags | SIGCHLD, 0) == 0) {
    rest();
    instruction(SYS_exit_group, 0, 0);
  }
}

}  // namespace

int main(int, char** words) {
  const std::string_view how = words[1];
  block = static_cast<char*>(std::malloc(kBytes));
  for (std::size_t at = 0; at < kBytes; at += kPageBytes)
    block[at] = 1;
  // Each child has its other end, and closes it by its own.
  int ends[2];
  if (pipe(ends) != 0)
    return 1;
  for (int i = 0; i < 2; ++i) {
    if (how == "vfork")
      fork_idle(CLONE_VM | CLONE_VFORK);
    else if (how == "idle")
      fork_idle(0);
    else if (fork_as(how) == 0)
      write_and_end(nullptr);
  }
  close(ends[1]);
  char byte = 0;
  while (read(ends[0], &byte, 1) > 0) {
  }
  while (wait(nullptr) > 0) {
  }
  return 0;
}
