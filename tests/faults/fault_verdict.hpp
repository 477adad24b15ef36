/// Which call is the one to fail, inside the object that is preloaded into a program under test.
/// Any thread of the program may ask.
#pragma once

#include "tests/faults/fault.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

// The program's own objects see none of this.
#pragma GCC visibility push(hidden)

namespace tidemark::faults {

/// Shared with the process that waits for this one: a copy that is killed has counted too.
struct Counts {
  std::atomic<std::uint64_t> faults;
  std::atomic<std::uint64_t> bytes_written;
  std::atomic<std::uint64_t> calls[kCallKinds];
};

extern Counts* g_counts;
extern Fault g_fault;
extern bool g_is_ordered;  ///< In a copy that runs main.

/// Set while dlsym runs, which may allocate: its calls are not the program's.
[[gnu::tls_model("initial-exec")]] extern thread_local bool t_is_searching;

template <typename Function>
Function real(const char* name) {
  t_is_searching = true;
  void* const found = dlsym(RTLD_NEXT, name);
  t_is_searching = false;
  return reinterpret_cast<Function>(found);
}
/// The function that `name` would be without this object, of the same type.
#define TIDEMARK_REAL(name)                                   \
  ([]() noexcept {                                            \
    static const auto found = real<decltype(&::name)>(#name); \
    return found;                                             \
  }())

enum class Verdict { kGoOn, kFail, kShorten, kDieAfter };

/// Counts a call. After kFail errno is set.
Verdict judge(Call call);
bool fails(Call call);
/// Of an allocation for the code at `caller`.
bool allocation_fails(const void* caller);
/// Looks where the C++ library is: what it asks malloc for is an operator new's.
void find_cxx_library();
/// How much of a write of `bytes` is done, or -1 with errno set.
ssize_t share_of_write(Verdict verdict, std::size_t bytes);
void die();

/// `do_it(bytes)` writes that many.
template <typename Write>
ssize_t checked_write(int descriptor, std::size_t bytes, Write do_it) {
  if (descriptor == STDERR_FILENO) {
    return do_it(bytes);
  }
  const Verdict verdict = judge(Call::kWrite);
  const ssize_t share = share_of_write(verdict, bytes);
  if (share < 0) {
    return -1;
  }
  const ssize_t done = do_it(static_cast<std::size_t>(share));
  if (verdict == Verdict::kDieAfter) {
    die();
  }
  return done;
}

template <typename Read>
ssize_t checked_read(std::size_t bytes, Read do_it) {
  switch (judge(Call::kRead)) {
    case Verdict::kFail:
      return -1;
    case Verdict::kShorten:
      return do_it(bytes > 1 ? bytes / 2 : bytes);
    default:
      return do_it(bytes);
  }
}

}  // namespace tidemark::faults

#pragma GCC visibility pop
