/// A thread held on one core.
#pragma once

#include <cstddef>

#include <sched.h>

namespace tidemark::tests {

/// The calling thread stays on the core where it is, and so do threads that it starts.
class OneCore {
 public:
  OneCore() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(static_cast<std::size_t>(cpu_), &core);
    ::sched_setaffinity(0, sizeof core, &core);
  }
  ~OneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;
  OneCore(OneCore&&) = delete;
  OneCore& operator=(OneCore&&) = delete;

  [[nodiscard]] int cpu() const { return cpu_; }

 private:
  int cpu_ = ::sched_getcpu();
  cpu_set_t before_{};
};

}  // namespace tidemark::tests
