/// System calls without libc: they never touch errno, never are a cancellation point, and never
/// come back to our own hooks. All return the kernel's value: a negative errno on failure.
#pragma once

#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>

namespace tidemark::sys {

#ifdef TIDEMARK_SYSTEM_CALL_FAULTS
/// In a test's build of the object: true when this call is the one to fail (tests/faults).
bool is_to_fail(long number, long& result);
#endif

inline long call(
    long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#ifdef TIDEMARK_SYSTEM_CALL_FAULTS
  if (long fault = 0; is_to_fail(number, fault))
    return fault;
#endif
  long result;  // NOLINT(cppcoreguidelines-init-variables): written by the instruction
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline long as_long(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline int open(const char* path, int flags) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, as_long(path), flags | O_CLOEXEC, 0));
}
inline void close(int fd) {
  call(SYS_close, fd);
}
/// A copy of `fd` at the first free number from `lowest` on, closed by an exec.
inline int duplicate(int fd, int lowest) {
  return static_cast<int>(call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest));
}
inline void set_close_on_exec(int fd, bool closed) {
  call(SYS_fcntl, fd, F_SETFD, closed ? FD_CLOEXEC : 0);
}
inline long read_link(const char* path, char* out, std::size_t size) {
  return call(SYS_readlinkat, AT_FDCWD, as_long(path), as_long(out), static_cast<long>(size));
}
inline long read(int fd, char* out, std::size_t size) {
  return call(SYS_read, fd, as_long(out), static_cast<long>(size));
}
inline long read_at(int fd, char* out, std::size_t size, std::uint64_t offset) {
  return call(SYS_pread64, fd, as_long(out), static_cast<long>(size), static_cast<long>(offset));
}
/// The kernel's struct stat is glibc's on x86-64.
inline long file_status(int fd, struct stat* out) {
  return call(SYS_fstat, fd, as_long(out));
}

/// Where the next read of `fd` begins.
inline long position(int fd) {
  return call(SYS_lseek, fd, 0, SEEK_CUR);
}

/// @return nullptr on failure.
inline std::byte* map(
    std::size_t bytes, int protection, int flags, int fd, std::uint64_t offset = 0) {
  const long result =
      call(SYS_mmap, 0, static_cast<long>(bytes), protection, flags, fd, static_cast<long>(offset));
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<std::byte*>(result);
}
/// A second mapping of the file behind a shared mapping, from the same offset on. @return nullptr
/// on failure.
inline std::byte* map_again(const std::byte* base, std::size_t bytes) {
  const long result = call(SYS_mremap, as_long(base), 0, static_cast<long>(bytes), MREMAP_MAYMOVE);
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<std::byte*>(result);
}
inline void unmap(void* base, std::size_t bytes) {
  call(SYS_munmap, as_long(base), static_cast<long>(bytes));
}
/// @return false where it stays as it was.
inline bool protect(std::uint64_t begin, std::uint64_t bytes, int protection) {
  return call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(bytes), protection) == 0;
}
inline long advise(void* base, std::size_t bytes, int advice) {
  return call(SYS_madvise, as_long(base), static_cast<long>(bytes), advice);
}

/// True when the page at `address`, which must be page-aligned, is in memory; false also where
/// nothing is mapped.
inline bool is_resident(std::uint64_t address) {
  unsigned char state = 0;
  return call(SYS_mincore, static_cast<long>(address), 1, as_long(&state)) == 0 && (state & 1) != 0;
}

/// How many of the pages from `address`, which must be page-aligned, are resident. Counting stops
/// at the first 512 pages that contain an unmapped one.
inline std::uint64_t count_resident(std::uint64_t address, std::uint64_t pages) {
  unsigned char states[512];  // On a stack that may be small.
  std::uint64_t resident = 0;
  while (pages != 0) {
    const std::uint64_t count = pages < sizeof states ? pages : sizeof states;
    if (call(SYS_mincore, static_cast<long>(address), static_cast<long>(count * wire::kPageBytes),
             as_long(states)) != 0)
      return resident;
    for (std::uint64_t i = 0; i < count; ++i)
      resident += states[i] & 1U;
    address += count * wire::kPageBytes;
    pages -= count;
  }
  return resident;
}

inline std::uint32_t process_id() {
  return static_cast<std::uint32_t>(call(SYS_getpid));
}

/// 0: no filter stands in front of this process's calls.
inline long seccomp_mode() {
  return call(SYS_prctl, PR_GET_SECCOMP);
}

/// Copies this process's own memory; unreadable memory makes it fail instead of faulting. Pages
/// that are not resident would be paged in.
/// @return how many bytes there are in `out`: those of all `places` together, or fewer.
inline std::size_t read_back(std::span<const iovec> places, std::span<std::byte> out) {
  const iovec copy{out.data(), out.size()};
  const long result = call(SYS_process_vm_readv, process_id(), as_long(&copy), 1,
                           as_long(places.data()), static_cast<long>(places.size()), 0);
  return result < 0 ? 0 : static_cast<std::size_t>(result);
}

/// Limit of this process's address space in bytes; the largest number if the kernel does not say.
inline std::uint64_t address_space_limit() {
  std::uint64_t limit[2] = {~std::uint64_t{0}, 0};  // soft, hard: struct rlimit64
  constexpr long kAddressSpace = 9;                 // RLIMIT_AS, asm-generic/resource.h
  call(SYS_prlimit64, 0, kAddressSpace, 0, as_long(limit));
  return limit[0];
}

/// Minor plus major page faults, of this process so far (RUSAGE_SELF) or of all children that it
/// has waited for (RUSAGE_CHILDREN). 0 if the kernel does not say.
inline std::uint64_t page_faults(int whose) {
  rusage usage{};  // The kernel's is glibc's on x86-64.
  call(SYS_getrusage, whose, as_long(&usage));
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

inline std::uint32_t parent_id() {
  return static_cast<std::uint32_t>(call(SYS_getppid));
}
inline std::uint32_t thread_id() {
  return static_cast<std::uint32_t>(call(SYS_gettid));
}
/// Inode of a pidfd of this process (ProcessSlot::identity). 0: the kernel does not say.
inline std::uint64_t process_identity() {
  const int fd = static_cast<int>(call(SYS_pidfd_open, process_id(), 0));
  if (fd < 0)
    return 0;
  struct statfs system {};
  struct stat status {};
  const bool is_known = call(SYS_fstatfs, fd, as_long(&system)) == 0 &&
                        system.f_type == wire::kPidFileSystem && file_status(fd, &status) == 0;
  close(fd);
  return is_known ? status.st_ino : 0;
}

/// Waits while `*word` is `expected`, at most `timeout_ns`.
inline void futex_wait(const void* word, std::uint32_t expected, long timeout_ns) {
  const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  call(SYS_futex, as_long(word), FUTEX_WAIT, expected, as_long(&timeout));
}
inline void futex_wake(const void* word) {
  call(SYS_futex, as_long(word), FUTEX_WAKE, 0x7fffffff);
}

/// As a mask of the kernel's: all but those that an instruction itself raises, for which the kernel
/// ends a program that blocks them.
constexpr std::uint64_t kAsynchronousSignals = [] {
  std::uint64_t mask = ~std::uint64_t{0};
  for (const int number : {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS})
    mask &= ~(std::uint64_t{1} << (number - 1));
  return mask;
}();

/// Blocks signals of this thread, all by default, for a scope, so that no handler re-enters the
/// code inside or leaves it by longjmp.
class SignalBlock {
 public:
  explicit SignalBlock(std::uint64_t signals = ~std::uint64_t{0}) {
    call(SYS_rt_sigprocmask, SIG_BLOCK, as_long(&signals), as_long(&before_), sizeof before_);
  }
  ~SignalBlock() { call(SYS_rt_sigprocmask, SIG_SETMASK, as_long(&before_), 0, sizeof before_); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace tidemark::sys
