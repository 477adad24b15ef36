// System calls by number, prctl, and the filters that both can install.

#include "preload/entry_points/export.hpp"
#include "preload/entry_points/mappings_by_number.hpp"
#include "preload/entry_points/processes_by_number.hpp"
#include "preload/entry_points/reads_by_number.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/session/thread.hpp"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

// Jumped through in syscall.S.
extern "C" {
__attribute__((visibility("hidden"))) void* tidemark_real_syscall = nullptr;
__attribute__((visibility("hidden"))) long tidemark_hooked_syscall(
    long number, long a, long b, long c, long d, long e, long f);
__attribute__((visibility("hidden"))) bool tidemark_before_clone_by_number(long number,
                                                                           long a,
                                                                           long b);
/// A bit for each number that tidemark_hooked_syscall is to see.
struct HookedNumbers {
  std::uint64_t words[8];
};
__attribute__((visibility("hidden"))) extern const HookedNumbers tidemark_hooked_numbers;
}

namespace {

constexpr HookedNumbers hooked_numbers() {
  HookedNumbers numbers{};
  const auto add = [&numbers](long number) {
    numbers.words[number / 64] |= std::uint64_t{1} << (number % 64);
  };
  for (const long number :
       {SYS_prctl, SYS_execve, SYS_execveat, SYS_seccomp, SYS_fork, SYS_clone, SYS_clone3})
    add(number);
  for (const long number : preload::kConfiningNumbers)
    add(number);
  for (const long number : preload::kReadNumbers)
    add(number);
  for (const long number : preload::kMappingNumbers)
    add(number);
  return numbers;
}

preload::NotedFilter note(unsigned long mode, unsigned long program) {
  if (mode == SECCOMP_MODE_STRICT)
    return preload::note_strict_mode();
  const bool is_filter = mode == SECCOMP_MODE_FILTER;
  return preload::note_filter(is_filter ? reinterpret_cast<const sock_fprog*>(program) : nullptr);
}

/// @param result of the call that was to install it.
long installed(const preload::NotedFilter& noted, long result) {
  if (result < 0)
    preload::forget_filter(noted);
  return result;
}

}  // namespace

TIDEMARK_EXPORT int prctl(int option, ...) {
  real::need();
  unsigned long argument[4];
  va_list rest;
  va_start(rest, option);
  for (unsigned long& value : argument)
    value = va_arg(rest, unsigned long);
  va_end(rest);
  if (option == PR_SET_SECCOMP) {
    const preload::NotedFilter noted = note(argument[0], argument[1]);
    return static_cast<int>(
        installed(noted, real::prctl(option, argument[0], argument[1], argument[2], argument[3])));
  }
  const int result = real::prctl(option, argument[0], argument[1], argument[2], argument[3]);
  if (option == PR_SET_NAME && result == 0)
    preload::record_thread_name(__builtin_thread_pointer(),
                                reinterpret_cast<const char*>(argument[0]));
  return result;
}

bool tidemark_before_clone_by_number(long number, long a, long b) {
  return preload::before_clone_by_number(number, a, b);
}

constinit const HookedNumbers tidemark_hooked_numbers = hooked_numbers();

long tidemark_hooked_syscall(long number, long a, long b, long c, long d, long e, long f) {
  real::need();
  const auto words = [](long value) { return reinterpret_cast<char* const*>(value); };
  switch (number) {
    case SYS_execve:
      return execve(reinterpret_cast<const char*>(a), words(b), words(c));
    case SYS_execveat:
      return execveat(static_cast<int>(a), reinterpret_cast<const char*>(b), words(c), words(d),
                      static_cast<int>(e));
    case SYS_prctl:
      return prctl(static_cast<int>(a), b, c, d, e);
    case SYS_seccomp:
      if (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER) {
        const preload::NotedFilter noted =
            note(a == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT : SECCOMP_MODE_FILTER,
                 static_cast<unsigned long>(c));
        return installed(noted, real::syscall(number, a, b, c, d, e, f));
      }
      return real::syscall(number, a, b, c, d, e, f);
    case SYS_fork:
    case SYS_clone:
    case SYS_clone3:
      return preload::fork_by_number(number, {a, b, c, d, e, f});
    case SYS_unshare:
    case SYS_setns:
    case SYS_chroot:
    case SYS_pivot_root:
    case SYS_setuid:
    case SYS_setreuid:
    case SYS_setresuid:
    case SYS_setgid:
    case SYS_setregid:
    case SYS_setresgid:
      return preload::confine_by_number(number, {a, b, c, d, e, f});
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_mprotect:
    case SYS_madvise:
      return preload::map_by_number(number, {a, b, c, d, e, f}, TIDEMARK_CALLER);
    default:
      return preload::read_by_number(number, {a, b, c, d, e, f}, TIDEMARK_CALLER);
  }
}
