#include "preload/record.hpp"

#include "preload/start_block.hpp"
#include "preload/sys.hpp"

#include <cstring>

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

constinit wire::Clock g_clock = wire::Clock::kTsc;

namespace {

/// Free positions end here, as the collector has read so far.
std::uint64_t current_limit(const wire::RingHeader& ring) {
  return ring.read_position.load(std::memory_order_acquire) + wire::kRingSlots - kRingSlack;
}

bool has_room(ThreadState& thread, std::uint64_t slots) {
  // Detached: by the sleep below, by a handler, or by a record nested in this one.
  if (thread.ring == nullptr)
    return false;
  thread.limit = current_limit(*thread.header);
  return thread.header->reserved + slots <= thread.limit;
}

/// One sleep until the collector has read something; short, so that its death is noticed soon.
void sleep_for_space(ThreadState& thread, std::uint64_t slots) {
  constexpr long kSleepNs = 100'000'000;
  wire::RingHeader& ring = *thread.header;
  const std::uint32_t sequence = ring.space_sequence.load();
  // Sequentially consistent with the collector's store of read_position and its look at
  // writer_waits: one of the two sees the other.
  ring.writer_waits.store(1);
  if (has_room(thread, slots))
    return;
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

std::size_t copy_text(char* out, std::size_t room, const char* text) {
  std::size_t length = 0;
  while (length < room && text[length] != '\0') {
    out[length] = text[length];
    ++length;
  }
  return length;
}

/// Command line of this image, as the kernel laid it out.
std::size_t copy_arguments(char* out, std::size_t room) {
  const char* const* arguments = start_arguments();
  std::size_t used = 0;
  for (std::uint64_t i = 0; i < start_argument_count() && arguments[i] != nullptr && used < room;
       ++i) {
    used += copy_text(out + used, room - used, arguments[i]);
    if (used < room)
      out[used++] = '\0';
  }
  return used;
}

}  // namespace

void wake_collector() {
  wire::ControlPage& page = control();
  page.doorbell.fetch_add(1);
  if (page.collector_sleeps.load() != 0)
    sys::futex_wake(&page.doorbell);
}

bool make_room(ThreadState& thread, std::uint64_t slots) {
  if (has_room(thread, slots)) {
    if (thread.header->dropped != 0)
      write_gap(thread);
    return true;
  }
  if (thread.ring == nullptr)
    return false;
  if (control().overflow == wire::Overflow::kBlock)
    return wait_for_room(thread, slots);
  count_drop(thread);
  return false;
}

void write_payload(ThreadState& thread, const Record& head, std::span<const std::byte> payload) {
  payload = payload.first(payload.size() < kMaxTextBytes ? payload.size() : kMaxTextBytes);
  const std::uint64_t extra_slots =
      (payload.size() + wire::kPayloadBytes - 1) / wire::kPayloadBytes;
  std::uint64_t position = 0;
  if (!reserve(thread, extra_slots + 1, position))
    return;
  const std::uint64_t ticks = now_ticks();
  for (std::uint64_t i = 0; i < extra_slots; ++i) {
    const std::size_t at = i * wire::kPayloadBytes;
    const std::size_t left = payload.size() - at;
    std::byte bytes[wire::kPayloadBytes] = {};
    std::memcpy(bytes, payload.data() + at, left < sizeof bytes ? left : sizeof bytes);
    Record part{.kind = wire::RecordKind::kPayload};
    std::memcpy(&part.address, bytes, 8);
    std::memcpy(&part.size, bytes + 8, 8);
    std::memcpy(&part.stack, bytes + 16, 4);
    std::memcpy(&part.extra, bytes + 20, 4);
    fill(thread, position + 1 + i, ticks, part);
  }
  // The head last: a reader that sees it finds the rest in place.
  fill(thread, position, ticks, head);
}

void write_text(ThreadState& thread, const Record& head, std::span<const char> text) {
  Record counted = head;
  counted.size = text.size() < kMaxTextBytes ? text.size() : kMaxTextBytes;
  write_payload(thread, counted, std::as_bytes(text));
}

void announce_process(ThreadState& thread) {
  std::uint32_t expected = 0;
  if (!g_process->announced_self.compare_exchange_strong(expected, 1))
    return;
  // Executable, a zero, then the arguments with a zero after each.
  static char text[kMaxTextBytes];  // too large for a small stack; only one thread comes here
  const long length = sys::read_link("/proc/self/exe", text, sizeof text / 4);
  std::size_t used = length > 0 ? static_cast<std::size_t>(length) : 0;
  text[used++] = '\0';
  used += copy_arguments(text + used, sizeof text - used);
  write_text(thread, {.kind = wire::RecordKind::kProcessBegin}, {text, used});
}

}  // namespace tidemark::preload
