#include "preload/hooks/children.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/uio.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

std::uint64_t to_ns(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

}  // namespace

void before_fork() {
  note_faults_before_fork();
}

void record_fork() {
  current_thread();
}

CloneArguments read_clone_arguments(long address, unsigned long bytes) {
  constexpr CloneArguments kUnknown{.flags = CLONE_VM};
  clone_args arguments{};
  static_assert(offsetof(clone_args, stack) < CLONE_ARGS_SIZE_VER0);
  // Programs that only probe for this call pass fewer bytes.
  if (bytes < CLONE_ARGS_SIZE_VER0 || !may(kMayReadBack))
    return kUnknown;
  const iovec place{reinterpret_cast<void*>(address), CLONE_ARGS_SIZE_VER0};
  const auto copy = std::as_writable_bytes(std::span(&arguments, 1)).first(place.iov_len);
  if (sys::read_back({&place, 1}, copy) != copy.size())
    return kUnknown;
  return {arguments.flags, arguments.stack};
}

std::uint32_t process_id() {
  return sys::process_id();
}

unsigned long faults_of_children() {
  return may(kMayAskUsage) ? sys::page_faults(RUSAGE_CHILDREN) : 0;
}

void record_end(int child, const rusage* usage) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return;
  wire::ChildEnded ended{.pid = static_cast<std::uint32_t>(child)};
  if (usage != nullptr) {
    ended.cpu_ns = to_ns(usage->ru_utime) + to_ns(usage->ru_stime);
    const auto faults = static_cast<std::uint64_t>(usage->ru_minflt + usage->ru_majflt);
    ended.faults = static_cast<std::uint32_t>(std::min<std::uint64_t>(faults, UINT32_MAX));
    ended.most_resident_bytes = static_cast<std::uint64_t>(usage->ru_maxrss) << 10U;
  }
  write(*thread, ended);
}

}  // namespace tidemark::preload
