#include "preload/session/thread.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/clock.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/session_file.hpp"

#include <cstring>

#include <sys/prctl.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit thread_local ThreadState* t_thread = nullptr;

namespace {

constexpr std::size_t kMaxThreadName = 15;  ///< The kernel's TASK_COMM_LEN, less the zero.

/// This thread runs unrecorded, for a reason of wire::Refusal. Kept, so that not every call tries
/// again.
constinit thread_local bool t_refused = false;

bool is_refused() {
  // A forked child may have better luck.
  return t_refused && g_process->attached.load(std::memory_order_relaxed) != 0;
}

ThreadState* refuse(wire::Refusal why) {
  t_refused = true;
  control().threads_refused.of(why).fetch_add(1);
  return nullptr;
}

wire::Slot* map_ring(std::uint32_t index) {
  return reinterpret_cast<wire::Slot*>(map_window(wire::ring_offset(index), wire::kRingBytes));
}

/// Seed of this thread's sample points. With its parent's random numbers, a forked child would
/// sample the same allocations.
std::uint64_t new_seed(std::uint32_t ring) {
  const std::uint64_t image = process_slot().generation.load(std::memory_order_relaxed);
  return now_ticks() ^ StackSampler::mix(image << 32 | ring);
}

void sample_stacks(ThreadState& thread, std::uint32_t ring) {
  const wire::ControlBlock& block = control();
  thread.stacks_above = block.stacks_above;
  thread.sampler = {};
  if (block.sample_bytes == 0)
    return;
  thread.stacks_above = block.sample_bytes;
  thread.sampler.begin(block.sample_bytes, new_seed(ring));
}

void adopt_ring(ThreadState& thread, std::uint32_t index, wire::Slot* slots) {
  wire::RingHeader& ring = g_session.ring(index);
  ring.dropped = 0;
  ring.gathered_bytes.store(0, std::memory_order_relaxed);
  ring.watch_word.store(0, std::memory_order_relaxed);
  ring.state_address.store(reinterpret_cast<std::uintptr_t>(&thread), std::memory_order_relaxed);
  thread.slots = slots;
  thread.limit = 0;  // looked up at the first record
  sample_stacks(thread, index);
  thread.header = &ring;
  thread.ring = &ring;
  std::uint32_t used = control().rings_used.load();
  while (used <= index && !control().rings_used.compare_exchange_weak(used, index + 1)) {
  }
}

/// @return kNone once the thread has a ring.
wire::Refusal claim_ring(ThreadState& thread) {
  const std::uint32_t owner = g_process->slot + 1;
  const std::uint32_t rings = control().blocks * wire::kRingsPerBlock;
  for (std::uint32_t i = 0; i < rings; ++i) {
    wire::RingHeader& ring = g_session.ring(i);
    std::uint32_t expected = wire::kRingFree;
    if (ring.owner.load(std::memory_order_relaxed) != wire::kRingFree ||
        !ring.owner.compare_exchange_strong(expected, owner))
      continue;
    wire::Slot* slots = map_ring(i);
    if (slots == nullptr) {
      ring.owner.store(wire::kRingFree);
      return wire::Refusal::kNoMemory;
    }
    adopt_ring(thread, i, slots);
    return wire::Refusal::kNone;
  }
  return wire::Refusal::kNoPlace;
}

/// A new state with a ring. @return nullptr where this thread is refused.
ThreadState* map_state() {
  std::byte* memory = sys::map(sizeof(ThreadState), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (memory == nullptr)
    return refuse(wire::Refusal::kNoMemory);
  auto* thread = reinterpret_cast<ThreadState*>(memory);
  // A forked child that found its parent's state would write into its parent's ring.
  const bool is_wiped = sys::advise(memory, sizeof(ThreadState), MADV_WIPEONFORK) == 0;
  // The process's own state was wiped so: only a filter that was not seen forbids it now.
  const wire::Refusal refusal = is_wiped ? claim_ring(*thread) : wire::Refusal::kForbidden;
  if (refusal == wire::Refusal::kNone)
    return thread;
  sys::unmap(memory, sizeof(ThreadState));
  return refuse(refusal);
}

void write_begin(ThreadState& thread) {
  char name[kMaxThreadName + 1] = {};
  sys::call(SYS_prctl, PR_GET_NAME, sys::as_long(name));
  const std::size_t length = strnlen(name, kMaxThreadName);
  write_text(
      thread,
      wire::ThreadBegin{.slot = g_process->slot,
                        .generation = process_slot().generation.load(std::memory_order_relaxed),
                        .tid = thread.tid},
      {name, length});
}

/// Adds a state that is new, or was wiped by a fork, to this process's list.
void introduce(ThreadState& thread) {
  process_slot().private_bytes.fetch_add(sizeof(ThreadState), std::memory_order_relaxed);
  thread.next_state = g_process->thread_states.load(std::memory_order_relaxed);
  while (!g_process->thread_states.compare_exchange_weak(thread.next_state, &thread,
                                                         std::memory_order_release)) {
  }
}

/// Checks a few states, and continues from there next time: with thousands of threads, checking all
/// would take long.
ThreadState* find_ended() {
  constexpr int kMaxLooks = 64;
  ThreadState* state = g_process->next_look.load(std::memory_order_acquire);
  for (int i = 0; i < kMaxLooks; ++i) {
    if (state == nullptr)
      state = g_process->thread_states.load(std::memory_order_acquire);
    if (state == nullptr)
      return nullptr;
    std::uint32_t word = state->watch.word.load(std::memory_order_acquire);
    ThreadState* next = state->next_state;
    if ((word & wire::kOwnerDied) != 0 &&
        state->watch.word.compare_exchange_strong(word, sys::thread_id())) {
      g_process->next_look.store(next, std::memory_order_release);
      return state;
    }
    state = next;
  }
  g_process->next_look.store(state, std::memory_order_release);
  return nullptr;
}

/// Gives the calling thread the state of one that has ended. Caches about code stay valid; the
/// cached stack is dropped.
ThreadState* take_over_ended() {
  ThreadState* thread = find_ended();
  if (thread == nullptr)
    return nullptr;
  thread->walker.forget_stack();
  thread->walking = 0;
  thread->internal = false;
  thread->ring = thread->header;
  forget_gathered_reads(*thread);
  thread->header->gathered_bytes.store(0, std::memory_order_relaxed);
  write(*thread, wire::ThreadEnd{.tid = thread->tid});
  return thread;
}

/// `thread` is the calling thread's from here on. It has a ring.
void begin_life(ThreadState& thread) {
  const bool is_new = thread.tid == 0;  // or wiped by a fork
  thread.tid = sys::thread_id();
  thread.pthread = __builtin_thread_pointer();
  if (is_new)
    introduce(thread);
  const bool is_watched = watch_this_thread(thread.watch, thread.tid);
  const auto word = reinterpret_cast<std::uintptr_t>(&thread.watch.word);
  thread.header->watch_word.store(is_watched ? word : 0, std::memory_order_relaxed);
  t_thread = &thread;
  t_refused = false;
  if (g_process->threads.fetch_add(1) != 0)
    stamp_in_order();
  write_begin(thread);
  announce_process(thread);
}

}  // namespace

ThreadState* start_thread() {
  if (g_attachment.load(std::memory_order_relaxed) == Attachment::kDetached)
    return nullptr;
  if ((t_thread != nullptr && t_thread->internal) || is_refused())
    return nullptr;
  if (!may(kMayMap)) {
    if (g_process != nullptr && is_attached_despite_filter())
      return refuse(wire::Refusal::kForbidden);
    t_refused = g_process != nullptr;
    return nullptr;
  }
  const sys::SignalBlock no_signals;
  if (!ensure_attached()) {
    // The process was counted as refused. Otherwise each call would search for a slot again.
    t_refused = g_process != nullptr;
    return nullptr;
  }
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    return thread;  // by a handler, just now
  if (thread == nullptr) {
    thread = take_over_ended();
  } else if (const wire::Refusal refusal = claim_ring(*thread);  // wiped by a fork
             refusal != wire::Refusal::kNone) {
    return refuse(refusal);
  }
  if (thread == nullptr)
    thread = map_state();
  if (thread == nullptr)
    return nullptr;
  begin_life(*thread);
  return thread;
}

void record_thread_name(const void* pthread, const char* name) {
  ThreadState* self = current_thread();
  if (self == nullptr)
    return;
  for (const ThreadState* state = g_process->thread_states.load(std::memory_order_acquire);
       state != nullptr; state = state->next_state) {
    if (state->pthread == pthread && !state->watch.has_ended())
      write_text(*self, wire::ThreadName{.tid = state->tid}, {name, strnlen(name, kMaxThreadName)});
  }
}

}  // namespace tidemark::preload
