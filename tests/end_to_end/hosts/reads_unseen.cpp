// reads_unseen HOW PATH: opens and reads a file by the `syscall` instruction itself, as Go does: no
// function of libc is called. The looks from outside come every 10 ms.
//   pieces    all of it, in pieces, a while between them
//   at_once   all of it, in one call
//   places    all of it, each piece by its place (pread)
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
char g_into[kMaxBytes];

long instruction(long number, long a, long b, long c, long d = 0) {
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
}

void pass_time(bool is_once = false) {
  const timespec pause{0, is_once ? 80'000'000 : 25'000'000};
  nanosleep(&pause, nullptr);
}

}  // namespace

int main(int, char** words) {
  const std::string how = words[1];
  const long file = instruction(SYS_openat, AT_FDCWD, reinterpret_cast<long>(words[2]), O_RDONLY);
  const long size = instruction(SYS_lseek, file, 0, SEEK_END);
  instruction(SYS_lseek, file, 0, SEEK_SET);
  const long piece = how == "at_once" ? size : size / 8;
  long all = 0;
  for (long at = 0; at < size; at += piece) {
    pass_time(piece == size);
    all += how == "places"
               ? instruction(SYS_pread64, file, reinterpret_cast<long>(g_into + at), piece, at)
               : instruction(SYS_read, file, reinterpret_cast<long>(g_into + at), piece);
  }
  instruction(SYS_close, file, 0, 0);
  pass_time();
  std::printf("%ld\n", all);
  return 0;
}
