// filters_calls ACTION: allows itself a few system calls, after which any other one is killed
// ("kill"), raises SIGSYS ("trap") or fails ("errno"). Makes 100 blocks of 3111 bytes before, and
// 100,000 after. "threads": as "kill", and 1,000 more in a new thread;
// "forks": in a new process.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void allocate(int count) {
  for (int i = 0; i < count; ++i)
    std::free(std::malloc(3111));
}

void* work(void* argument) {
  allocate(1000);
  return argument;
}

std::uint32_t action_of(const char* name) {
  return std::strcmp(name, "kill") == 0   ? SECCOMP_RET_KILL_PROCESS
         : std::strcmp(name, "trap") == 0 ? SECCOMP_RET_TRAP
                                          : SECCOMP_RET_ERRNO | 1;
}

void install(std::uint32_t action, const std::vector<int>& allowed) {
  std::vector<sock_filter> code{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, nr)))};
  for (const int number : allowed) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    _exit(9);
}

}  // namespace

int main(int, char** argv) {
  allocate(100);
  // Past the hook of open: what it is would be asked for at its first read.
  const int unknown = static_cast<int>(syscall(SYS_openat, AT_FDCWD, argv[0], O_RDONLY));
  std::vector<int> allowed{SYS_write,    SYS_read,         SYS_exit,     SYS_exit_group,
                           SYS_brk,      SYS_mmap,         SYS_munmap,   SYS_newfstatat,
                           SYS_mprotect, SYS_rt_sigreturn, SYS_getrandom};
  const bool has_threads = std::strcmp(argv[1], "threads") == 0;
  const bool forks = std::strcmp(argv[1], "forks") == 0;
  if (has_threads || forks) {
    for (const int number :
         {SYS_clone3, SYS_clone, SYS_set_robust_list, SYS_rseq, SYS_madvise, SYS_rt_sigprocmask,
          SYS_futex, SYS_sched_getaffinity, SYS_rt_sigaction, SYS_wait4})
      allowed.push_back(number);
  }
  install(has_threads || forks ? SECCOMP_RET_KILL_PROCESS : action_of(argv[1]), allowed);
  allocate(100'000);
  if (has_threads) {
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, work, nullptr) != 0)
      return 8;
    pthread_join(thread, nullptr);
  }
  if (forks) {
    const pid_t child = fork();
    if (child == 0) {
      allocate(1000);
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
      return 11;
  }
  char bytes[64];
  if (read(unknown, bytes, sizeof bytes) != sizeof bytes)
    return 10;
  constexpr char kText[] = "done\n";
  return write(1, kText, sizeof kText - 1) == sizeof kText - 1 ? 6 : 7;
}
