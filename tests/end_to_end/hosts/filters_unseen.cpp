// filters_unseen PROGRAM ARGUMENTS...: installs, by the instruction itself, a filter that ends the
// process for process_vm_readv, and becomes PROGRAM.
#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

long bare(long number, long a, long b, long c) {
  long result = number;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace

int main(int, char** argv) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  if (bare(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0) != 0 ||
      bare(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, reinterpret_cast<long>(&program)) != 0)
    return 125;
  execv(argv[1], argv + 1);
  return 127;
}
