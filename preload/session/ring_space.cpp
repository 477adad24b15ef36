#include "preload/session/ring_space.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/session/clock.hpp"
#include "preload/session/process.hpp"
#include "preload/session/slots.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// Longest sleep for space: short, so that the collector's death is noticed soon.
constexpr long kSleepNs = 100'000'000;

/// As in ControlBlock::collector_cpu: 1 + the CPU that the calling thread runs on; 0 if only the
/// kernel could tell.
std::uint32_t current_cpu() {
  if (g_stamps.load(std::memory_order_relaxed) == Stamps::kMonotonic)
    return 0;
  // Linux keeps the node and, in the low 12 bits, the CPU in TSC_AUX, for the vDSO's getcpu.
  std::uint32_t node_and_cpu = 0;
  asm volatile("rdtscp" : "=c"(node_and_cpu) : : "rax", "rdx", "memory");
  return (node_and_cpu & 0xfff) + 1;
}

bool ring_has_space(ThreadState& thread, std::uint64_t slots) {
  // Detached: by the sleep below, by a handler, or by a record nested in this one.
  if (thread.ring == nullptr)
    return false;
  // A handler may record between any two of these lines, so the limit is computed from a position
  // read before.
  const std::uint64_t end =
      thread.header->read_position.load(std::memory_order_acquire) + wire::kRingSlots - kRingSlack;
  const std::uint64_t next_look = thread.header->reserved + kSpaceCheckSlots;
  thread.limit = next_look < end ? next_look : end;
  return thread.header->reserved + slots <= end;
}

/// One sleep until the collector has read something.
void sleep_for_space(ThreadState& thread, std::uint64_t slots) {
  wire::RingHeader& ring = *thread.header;
  const std::uint32_t sequence = ring.space_sequence.load();
  // Sequentially consistent with the collector's store of read_position and its look at
  // writer_waits: one of the two sees the other.
  ring.writer_waits.store(1 + current_cpu());
  if (ring_has_space(thread, slots))
    return;
  control().space_wanted.store(1, std::memory_order_relaxed);
  wake_collector();
  wait_on(&ring.space_sequence, sequence, kSleepNs);
}

bool sleep_until_space(ThreadState& thread, std::uint64_t slots) {
  const std::uint64_t begin = now_ticks();
  while (!ring_has_space(thread, slots)) {
    if (thread.ring == nullptr || detach_if_abandoned()) {
      detach(thread);
      return false;
    }
    sleep_for_space(thread, slots);
  }
  thread.header->blocked_ticks += now_ticks() - begin;
  return true;
}

/// True if the collector has work but probably no core: this thread runs on the one it last ran on.
bool is_in_the_way() {
  const wire::ControlBlock& block = control();
  const std::uint32_t cpu = current_cpu();
  return cpu != 0 && block.collector_cpu.load(std::memory_order_relaxed) == cpu &&
         block.collector_sleeps.load(std::memory_order_relaxed) == 0;
}

/// The collector wakes whoever waits once its pass is over.
void yield_to_collector(ThreadState& thread) {
  if (detach_if_abandoned()) {
    detach(thread);
    return;
  }
  wire::RingHeader& ring = *thread.header;
  const std::uint64_t begin = now_ticks();
  const std::uint32_t sequence = ring.space_sequence.load();
  // Sequentially consistent with the collector, which clears space_wanted at the end of a pass and
  // then looks at writer_waits: one of the two sees the other.
  ring.writer_waits.store(1 + current_cpu());
  if (control().space_wanted.load() == 0)
    return;
  wait_on(&ring.space_sequence, sequence, kSleepNs);
  ring.blocked_ticks += now_ticks() - begin;
  if (detach_if_abandoned())
    detach(thread);
}

bool is_half_full(const wire::RingHeader& ring) {
  return ring.read_position.load(std::memory_order_relaxed) + wire::kRingSlots / 2 < ring.reserved;
}

void share_the_collector(ThreadState& thread) {
  wire::ControlBlock& block = control();
  if (is_in_the_way()) {
    if (block.space_wanted.load(std::memory_order_relaxed) != 0)
      yield_to_collector(thread);
  } else if (is_half_full(*thread.header)) {
    block.space_wanted.store(1, std::memory_order_relaxed);
  }
}

void count_drop(ThreadState& thread) {
  ++thread.header->dropped;
  thread.header->dropped_total.fetch_add(1, std::memory_order_relaxed);
  wake_collector();
  if (detach_if_abandoned())
    detach(thread);
}

/// Written in-band: from here on totals may be off by what the dropped records held.
void write_gap(ThreadState& thread) {
  const std::uint64_t dropped = thread.header->dropped;
  thread.header->dropped = 0;
  fill(thread, hand_out(thread, 1), now_ticks(), wire::Lost::kKind,
       wire::Lost{.records = dropped}.encode());
}

}  // namespace

void wake_collector() {
  wire::ControlBlock& block = control();
  block.doorbell.fetch_add(1);
  // One wake is enough: from here on the collector counts as running, though it may wait for a
  // core.
  if (block.collector_sleeps.exchange(0) != 0)
    wake(&block.doorbell);
}

bool wait_for_space(ThreadState& thread, std::uint64_t slots) {
  const bool may_wait = control().overflow == wire::Overflow::kBlock;
  if (ring_has_space(thread, slots)) {
    if (thread.header->dropped != 0)
      write_gap(thread);
    if (!may_wait)
      return true;
    share_the_collector(thread);
    // Handlers may have recorded meanwhile.
    if (ring_has_space(thread, slots))
      return true;
  }
  if (thread.ring == nullptr)
    return false;
  if (may_wait)
    return sleep_until_space(thread, slots);
  count_drop(thread);
  return false;
}

}  // namespace tidemark::preload
