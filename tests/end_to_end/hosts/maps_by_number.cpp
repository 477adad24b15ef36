// What remaps does, by the calls' numbers; then 3 MiB of address space of which 2 are opened, one
// of them given back.
#include <cstdio>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
  constexpr long kPage = 4096;
  constexpr long kMiB = 1 << 20;
  constexpr long kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
  long map = syscall(SYS_mmap, 0, 16 * kPage, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  map = syscall(SYS_mremap, map, 16 * kPage, 64 * kPage, MREMAP_MAYMOVE);
  map = syscall(SYS_mremap, map, 64 * kPage, 32 * kPage, 0);
  const long failed = syscall(SYS_mremap, map, 32 * kPage, long{1} << 50, MREMAP_MAYMOVE);
  std::printf("%ld\n", failed);
  syscall(SYS_munmap, map, 32 * kPage);
  const long space = syscall(SYS_mmap, 0, 3 * kMiB, PROT_NONE, kFlags, -1, 0);
  std::printf("%ld\n", syscall(SYS_mprotect, space, 2 * kMiB, PROT_READ | PROT_WRITE));
  for (long at = 0; at < 2 * kMiB; at += kPage)
    *reinterpret_cast<volatile char*>(space + at) = 1;
  std::printf("%ld\n", syscall(SYS_madvise, space, kMiB, MADV_DONTNEED));
  syscall(SYS_munmap, space, 3 * kMiB);
  std::printf("%ld\n", syscall(SYS_munmap, 1, kPage));
}
