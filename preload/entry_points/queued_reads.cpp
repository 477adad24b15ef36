// libaio's and liburing's functions that submit reads to the kernel. They belong to the program's
// libraries, so they are hooked by name alone, and looked up at their first call, as those may be
// loaded late.

#include "preload/hooks/queued_reads.hpp"

#include "preload/entry_points/export.hpp"

#include <errno.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

using preload::AioBlock;
using preload::SubmissionQueue;

struct io_uring_cqe;
struct __kernel_timespec;

namespace {

/// The library's own function. Threads that look it up at the same time find the same one.
template <typename Function>
class Late {
 public:
  explicit constexpr Late(const char* name) : name_(name) {}

  Function* find() {
    void* found = __atomic_load_n(&found_, __ATOMIC_RELAXED);
    if (found == nullptr) {
      found = real::find_library_function(name_);
      __atomic_store_n(&found_, found, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<Function*>(found);
  }

 private:
  const char* name_;
  void* found_ = nullptr;
};

constinit Late<int(void*, long, AioBlock**)> g_io_submit{"io_submit"};
constinit Late<int(void*)> g_submit{"io_uring_submit"};
constinit Late<int(void*, unsigned)> g_submit_and_wait{"io_uring_submit_and_wait"};
constinit Late<int(void*)> g_submit_and_get_events{"io_uring_submit_and_get_events"};
constinit Late<int(void*, io_uring_cqe**, unsigned, __kernel_timespec*, void*)>
    g_submit_and_wait_timeout{"io_uring_submit_and_wait_timeout"};
constinit Late<int(void*, io_uring_cqe**, unsigned, __kernel_timespec*, unsigned, void*)>
    g_submit_and_wait_min_timeout{"io_uring_submit_and_wait_min_timeout"};

/// Records the queue's new entries, and calls `function`.
template <typename Function, typename... Arguments>
int submit(Late<Function>& function,
           const tidemark::unwind::FrameState& caller,
           SubmissionQueue* ring,
           Arguments... arguments) {
  real::need();
  auto* const real_function = function.find();
  if (real_function == nullptr)
    return -ENOSYS;
  preload::record_ring_submit(*ring, caller);
  const preload::InLibrary scope;
  return real_function(ring, arguments...);
}

}  // namespace

TIDEMARK_EXPORT int io_submit(void* context, long count, AioBlock** blocks) {
  real::need();
  auto* const real_function = g_io_submit.find();
  if (real_function == nullptr)
    return -ENOSYS;
  int taken = 0;
  {
    const preload::InLibrary scope;
    taken = real_function(context, count, blocks);
  }
  preload::record_aio_submit(blocks, taken, TIDEMARK_CALLER);
  return taken;
}

TIDEMARK_EXPORT int io_uring_submit(SubmissionQueue* ring) {
  return submit(g_submit, TIDEMARK_CALLER, ring);
}
TIDEMARK_EXPORT int io_uring_submit_and_wait(SubmissionQueue* ring, unsigned count) {
  return submit(g_submit_and_wait, TIDEMARK_CALLER, ring, count);
}
TIDEMARK_EXPORT int io_uring_submit_and_get_events(SubmissionQueue* ring) {
  return submit(g_submit_and_get_events, TIDEMARK_CALLER, ring);
}
TIDEMARK_EXPORT int io_uring_submit_and_wait_timeout(SubmissionQueue* ring,
                                                     io_uring_cqe** done,
                                                     unsigned count,
                                                     __kernel_timespec* timeout,
                                                     void* signals) {
  return submit(g_submit_and_wait_timeout, TIDEMARK_CALLER, ring, done, count, timeout, signals);
}
TIDEMARK_EXPORT int io_uring_submit_and_wait_min_timeout(SubmissionQueue* ring,
                                                         io_uring_cqe** done,
                                                         unsigned count,
                                                         __kernel_timespec* timeout,
                                                         unsigned min_wait,
                                                         void* signals) {
  return submit(g_submit_and_wait_min_timeout, TIDEMARK_CALLER, ring, done, count, timeout,
                min_wait, signals);
}
