// forks_and_writes fork|forkpty: two children that write the 16 MiB that they have from their
// parent, and call nothing of libc's: not even to end.
#include <cstdlib>
#include <cstring>

#include <pty.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20U;
constexpr std::size_t kPageBytes = 4096;

long instruction(long number, const void* argument) {
  long result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(argument), "S"(nullptr)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace

int main(int, char** words) {
  const bool has_terminal = std::strcmp(words[1], "forkpty") == 0;
  auto* block = static_cast<char*>(std::malloc(kBytes));
  std::memset(block, 1, kBytes);
  for (int i = 0; i < 2; ++i) {
    int terminal = 0;
    if ((has_terminal ? forkpty(&terminal, nullptr, nullptr, nullptr) : fork()) != 0)
      continue;
    for (std::size_t at = 0; at < kBytes; at += kPageBytes)
      block[at] = 2;
    const timespec pause{0, 200'000'000};
    instruction(SYS_nanosleep, &pause);
    instruction(SYS_exit_group, nullptr);
  }
  while (wait(nullptr) > 0) {
  }
  return 0;
}
