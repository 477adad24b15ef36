// Forks by system call, past libc: fork, clone, vfork-like clone and clone3, if the kernel has it.
// Each child allocates 100 of 5011, 5012, 5013 and 5014 bytes.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
void allocate(std::size_t size) {
  for (int i = 0; i < 100; ++i)
    *static_cast<volatile char*>(std::malloc(size)) = 1;
}

int status_of(long pid) {
  int status = 0;
  waitpid(static_cast<pid_t>(pid), &status, 0);
  return WEXITSTATUS(status);
}
}  // namespace

int main() {
  allocate(5010);
  long child = syscall(SYS_fork);
  if (child == 0) {
    allocate(5011);
    _exit(1);
  }
  std::printf("%d\n", status_of(child));
  child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) {
    allocate(5012);
    _exit(2);
  }
  std::printf("%d\n", status_of(child));
  static char stack[1 << 18];
  child = clone(
      [](void*) {
        allocate(5013);
        _exit(3);
        return 0;
      },
      stack + sizeof stack, SIGCHLD, nullptr);
  std::printf("%d\n", status_of(child));
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  // As one asks whether there is such a call.
  if (syscall(SYS_clone3, nullptr, 0) != -1 || errno == ENOSYS)
    return 4;
  const long nowhere = syscall(SYS_clone3, reinterpret_cast<void*>(1), sizeof arguments);
  std::printf("%ld %d\n", nowhere, errno);
  child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    allocate(5014);
    _exit(4);
  }
  std::printf("%d\n", status_of(child));
}
