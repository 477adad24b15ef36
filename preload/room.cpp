#include "preload/room.hpp"

#include "preload/record.hpp"
#include "preload/sys.hpp"

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// Of a sleep for space: short, so that the collector's death is noticed soon.
constexpr long kSleepNs = 100'000'000;

std::uint64_t backlog(const wire::RingHeader& ring) {
  return ring.reserved - ring.read_position.load(std::memory_order_acquire);
}

bool has_room(ThreadState& thread, std::uint64_t slots) {
  // Detached: by the sleep below, by a handler, or by a record nested in this one.
  if (thread.ring == nullptr)
    return false;
  const std::uint64_t used = backlog(*thread.header);
  constexpr std::uint64_t kUsable = wire::kRingSlots - kRingSlack;
  const std::uint64_t room = used < kUsable ? kUsable - used : 0;
  thread.limit = thread.header->reserved + (room < kRoomStep ? room : kRoomStep);
  return slots <= room;
}

/// One sleep until the collector has read something.
void sleep_for_space(ThreadState& thread, std::uint64_t slots) {
  wire::RingHeader& ring = *thread.header;
  const std::uint32_t sequence = ring.space_sequence.load();
  // Sequentially consistent with the collector's store of read_position and its look at
  // writer_waits: one of the two sees the other.
  ring.writer_waits.store(1 + current_cpu());
  if (has_room(thread, slots))
    return;
  control().room_wanted.store(1, std::memory_order_relaxed);
  wake_collector();
  sys::futex_wait(&ring.space_sequence, sequence, kSleepNs);
}

bool wait_for_room(ThreadState& thread, std::uint64_t slots) {
  const std::uint64_t begin = now_ticks();
  while (!has_room(thread, slots)) {
    if (thread.ring == nullptr || detach_if_abandoned()) {
      detach(thread);
      return false;
    }
    sleep_for_space(thread, slots);
  }
  thread.header->blocked_ticks += now_ticks() - begin;
  return true;
}

/// The collector has work and no core: this thread is on it.
bool is_in_the_way() {
  const wire::ControlPage& page = control();
  const std::uint32_t cpu = current_cpu();
  return cpu != 0 && page.collector_cpu.load(std::memory_order_relaxed) == cpu &&
         page.collector_sleeps.load(std::memory_order_relaxed) == 0;
}

/// The collector wakes whoever waits once its pass is over.
void step_aside(ThreadState& thread) {
  wire::RingHeader& ring = *thread.header;
  const std::uint64_t begin = now_ticks();
  const std::uint32_t sequence = ring.space_sequence.load();
  ring.writer_waits.store(1 + current_cpu());
  sys::futex_wait(&ring.space_sequence, sequence, kSleepNs);
  ring.blocked_ticks += now_ticks() - begin;
  if (detach_if_abandoned())
    detach(thread);
}

void share_the_collector(ThreadState& thread) {
  wire::ControlPage& page = control();
  if (is_in_the_way()) {
    if (page.room_wanted.load(std::memory_order_relaxed) != 0)
      step_aside(thread);
  } else if (backlog(*thread.header) > wire::kRingSlots / 2) {
    page.room_wanted.store(1, std::memory_order_relaxed);
  }
}

void count_drop(ThreadState& thread) {
  ++thread.header->dropped;
  thread.header->dropped_total.fetch_add(1, std::memory_order_relaxed);
  wake_collector();
  if (detach_if_abandoned())
    detach(thread);
}

/// In-band: totals after this point are off by at most what these records said.
void write_gap(ThreadState& thread) {
  const std::uint64_t dropped = thread.header->dropped;
  thread.header->dropped = 0;
  write(thread, {.kind = wire::RecordKind::kLost, .size = dropped});
}

}  // namespace

void wake_collector() {
  wire::ControlPage& page = control();
  page.doorbell.fetch_add(1);
  if (page.collector_sleeps.load() != 0)
    sys::futex_wake(&page.doorbell);
}

bool make_room(ThreadState& thread, std::uint64_t slots) {
  const bool may_wait = control().overflow == wire::Overflow::kBlock;
  if (has_room(thread, slots)) {
    if (thread.header->dropped != 0)
      write_gap(thread);
    if (may_wait)
      share_the_collector(thread);
    return thread.ring != nullptr;
  }
  if (thread.ring == nullptr)
    return false;
  if (may_wait)
    return wait_for_room(thread, slots);
  count_drop(thread);
  return false;
}

}  // namespace tidemark::preload
