// leaves_unseen HOW PROGRAM: says its pid, waits for a line, and then PROGRAM runs without any
// function of libc or preloaded object knowing.
// "exec": in this process's place. "vfork": in a child that shares this process's memory until its
// exec, and that is waited for at once. "vforks": 20 of these, one after the other.
#include <csignal>
#include <cstdio>
#include <cstring>

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

char** g_arguments;
char* g_no_variables[] = {nullptr};

long bare(long number, long first, long second, long third, long fourth) {
  register long last asm("r10") = fourth;
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(first), "S"(second), "d"(third), "r"(last)
               : "rcx", "r11", "memory");
  return result;
}

long address(const void* of) {
  return reinterpret_cast<long>(of);
}

void leave() {
  bare(SYS_execve, address(g_arguments[0]), address(g_arguments), address(g_no_variables), 0);
}

/// The child has a stack of its own, as it must not return on the one that it shares.
int run_child() {
  alignas(16) static char stack[4096];
  long result = SYS_clone;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[execve], %%eax\n\t"
      "mov %[path], %%rdi\n\t"
      "mov %[arguments], %%rsi\n\t"
      "mov %[variables], %%rdx\n\t"
      "syscall\n\t"
      "mov %[exit], %%eax\n\t"
      "mov $127, %%edi\n\t"
      "syscall\n\t"
      "1:"
      : "+a"(result)
      : "D"(static_cast<long>(CLONE_VM | CLONE_VFORK | SIGCHLD)), "S"(stack + sizeof stack),
        "d"(0L), [execve] "i"(SYS_execve), [exit] "i"(SYS_exit_group), [path] "r"(g_arguments[0]),
        [arguments] "r"(g_arguments), [variables] "r"(g_no_variables)
      : "rcx", "r11", "memory");
  int status = -1;
  bare(SYS_wait4, result, address(&status), 0, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

}  // namespace

int main(int, char** words) {
  g_arguments = words + 2;
  std::printf("%d\n", static_cast<int>(getpid()));
  std::fflush(stdout);
  std::getchar();
  if (std::strcmp(words[1], "exec") == 0)
    leave();
  int status = 0;
  for (int runs = std::strcmp(words[1], "vforks") == 0 ? 20 : 1; runs != 0; --runs)
    status |= run_child();
  return status;
}
