#include "preload/thread.hpp"

#include "preload/clock.hpp"
#include "preload/record.hpp"
#include "preload/sys.hpp"

#include <pthread.h>
#include <sys/prctl.h>

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit thread_local ThreadState* t_thread = nullptr;

namespace {

constinit pthread_key_t g_exit_key = 0;
constinit bool g_has_exit_key = false;

ThreadState* map_state() {
  std::byte* memory = sys::map(sizeof(ThreadState), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (memory == nullptr)
    return nullptr;
  sys::advise(memory, sizeof(ThreadState), MADV_WIPEONFORK);
  return reinterpret_cast<ThreadState*>(memory);
}

void adopt_ring(ThreadState& thread, std::uint32_t index) {
  wire::RingHeader& ring = g_session.ring(index);
  ring.dropped = 0;
  thread.slots = g_session.slots(index);
  thread.limit = 0;  // looked up at the first record
  thread.stacks_above = control().stacks_above;
  thread.header = &ring;
  thread.ring = &ring;
  std::uint32_t used = control().rings_used.load();
  while (used <= index && !control().rings_used.compare_exchange_weak(used, index + 1)) {
  }
}

bool claim_ring(ThreadState& thread) {
  const std::uint32_t owner = g_process->slot + 1;
  for (std::uint32_t i = 0; i < wire::kMaxRings; ++i) {
    wire::RingHeader& ring = g_session.ring(i);
    std::uint32_t expected = wire::kRingFree;
    if (ring.owner.load(std::memory_order_relaxed) == wire::kRingFree &&
        ring.owner.compare_exchange_strong(expected, owner)) {
      adopt_ring(thread, i);
      return true;
    }
  }
  control().threads_refused.fetch_add(1);
  return false;
}

void write_life(ThreadState& thread, wire::RecordKind kind) {
  char name[16] = {};
  sys::call(SYS_prctl, PR_GET_NAME, sys::as_long(name));
  std::size_t length = 0;
  while (length < sizeof name && name[length] != '\0')
    ++length;
  // Slot and generation: a ring may have served another process before.
  const std::uint64_t process =
      (std::uint64_t{process_slot().generation.load(std::memory_order_relaxed)} << 32) |
      g_process->slot;
  write_text(thread, {.kind = kind, .address = process, .extra = thread.tid}, {name, length});
}

/// Counts a state that is new, or that a fork has wiped.
void introduce(ThreadState& thread) {
  if (thread.tid != 0)
    return;
  thread.tid = sys::thread_id();
  process_slot().private_bytes.fetch_add(sizeof(ThreadState), std::memory_order_relaxed);
}

/// Runs when the thread ends. Later destructors may allocate: then the thread starts once more, and
/// this runs again in libc's next round.
void end_thread(void*) {
  const sys::SignalBlock no_signals;
  ThreadState* thread = t_thread;
  // After a fork in another thread's life, or once detached, there is nothing to give back.
  if (thread == nullptr)
    return;
  if (thread->ring != nullptr)
    write_life(*thread, wire::RecordKind::kThreadEnd);
  if (thread->ring != nullptr)
    thread->ring->owner.store(wire::kRingFree, std::memory_order_release);
  if (thread->tid != 0)
    process_slot().private_bytes.fetch_sub(sizeof(ThreadState), std::memory_order_relaxed);
  t_thread = nullptr;
  sys::unmap(thread, sizeof(ThreadState));
}

}  // namespace

ThreadState* start_thread() {
  if (g_attachment.load(std::memory_order_relaxed) == Attachment::kDetached)
    return nullptr;
  if (t_thread != nullptr && (t_thread->internal || t_thread->refused))
    return nullptr;
  const sys::SignalBlock no_signals;
  if (!ensure_attached())
    return nullptr;
  ThreadState* thread = t_thread;
  if (thread == nullptr)
    thread = map_state();
  if (thread == nullptr || thread->ring != nullptr)
    return thread;
  introduce(*thread);
  t_thread = thread;
  if (g_process->threads.fetch_add(1) != 0)
    stamp_in_order();
  if (claim_ring(*thread)) {
    write_life(*thread, wire::RecordKind::kThreadBegin);
    announce_process(*thread);
  } else {
    thread->refused = true;  // remembered, or each call would look through all rings again
  }
  if (g_has_exit_key)
    pthread_setspecific(g_exit_key, thread);
  return thread->ring != nullptr ? thread : nullptr;
}

void watch_thread_ends() {
  if (g_has_exit_key || pthread_key_create(&g_exit_key, end_thread) != 0)
    return;
  g_has_exit_key = true;
  if (t_thread != nullptr)
    pthread_setspecific(g_exit_key, t_thread);
}

}  // namespace tidemark::preload
