// allocates_then N END: N allocations of 4321 bytes, says so, and ends in the way it was told to.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const int count = argc > 2 ? std::atoi(argv[1]) : 0;
  const char* end = argc > 2 ? argv[2] : "";
  for (int i = 0; i < count; ++i) {
    void* volatile block = std::malloc(4321);
    *static_cast<char*>(block) = 1;
  }
  // Not by stdio, which would allocate, and which _exit would not flush.
  const char* text = "done\n";
  (void)!write(STDOUT_FILENO, text, std::strlen(text));
  const auto is = [&](const char* word) { return std::strcmp(end, word) == 0; };
  if (is("return"))
    return 7;
  if (is("segv"))
    *reinterpret_cast<volatile int*>(8) = 1;
  if (is("abort"))
    std::abort();
  if (is("trap"))
    __builtin_trap();
  if (is("_exit"))
    _exit(8);
  if (is("quick_exit"))
    std::quick_exit(9);
  if (is("exit_group"))
    syscall(SYS_exit_group, 10);
  if (is("kill"))
    raise(SIGKILL);
  if (is("exec"))
    execl(argv[0], argv[0], "5", "return", nullptr);
  if (is("exec_static"))
    execl(argv[3], argv[3], "0", "return", nullptr);
  for (;;)
    pause();
}
