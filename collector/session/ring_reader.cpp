#include "collector/session/ring_reader.hpp"

#include <algorithm>
#include <cstring>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr bool has_payload(wire::RecordKind kind) {
  return wire::payload_of(kind) != wire::Payload::kNone;
}

constexpr bool is_plain(wire::RecordKind kind) {
  return kind != wire::RecordKind::kNone && kind != wire::RecordKind::kPayload &&
         !has_payload(kind);
}

/// Signed distance in the low bits, as times wrap. With a coarse clock, a record made after the
/// pass began may carry the pass's own time: it has to wait, too.
constexpr bool is_before(std::uint64_t time, std::uint64_t until_ticks) {
  const std::uint64_t ahead = (time - until_ticks) & wire::kTimeMask;
  return ahead >= std::uint64_t{1} << (wire::kTimeBits - 1);
}

constexpr std::ptrdiff_t kPrefetchSlots = 16;

/// How long a hole may hold back the writer, which may be the handler that must fill it. Beyond
/// this distance the writer gets space, and the hole is watched until its slot is handed out again:
/// then it was left by longjmp and will never be filled.
constexpr std::uint64_t kMaxHoleDistanceSlots = wire::kRingSlots / 4 * 3;

}  // namespace

RingReader::RingReader(const wire::SessionMap& session, std::uint32_t ring)
    : header_(&session.ring(ring)), slots_(session.slots(ring)) {}

bool RingReader::is_committed(std::uint64_t position, std::uint64_t& head) const {
  // Pairs with the release store that commits the slot.
  head = slots_[position % wire::kRingSlots].head.load(std::memory_order_acquire);
  return wire::lap_of_head(head) == wire::lap_of(position) &&
         wire::kind_of_head(head) != wire::RecordKind::kNone;
}

std::uint64_t RingReader::reserved() const {
  // Written by the host, so limited to a ring's length beyond what we know.
  const std::uint64_t said = __atomic_load_n(&header_->reserved, __ATOMIC_ACQUIRE);
  return std::clamp(said, position_, released_ + wire::kRingSlots);
}

bool RingReader::has_unread() const {
  std::uint64_t head = 0;
  return is_committed(position_, head);
}

bool RingReader::is_hole(std::uint64_t end) const {
  constexpr std::uint64_t kLookAhead = 1024;
  for (std::uint64_t at = position_ + 1; at < std::min(end, position_ + kLookAhead); ++at) {
    std::uint64_t head = 0;
    // Payload after an uncommitted head is just a long record being written.
    if (is_committed(at, head) && wire::kind_of_head(head) != wire::RecordKind::kPayload)
      return true;
  }
  return false;
}

std::uint64_t RingReader::payload_slots(std::uint64_t position, std::uint64_t end) const {
  std::uint64_t count = 0;
  std::uint64_t head = 0;
  while (position + 1 + count < end && is_committed(position + 1 + count, head) &&
         wire::kind_of_head(head) == wire::RecordKind::kPayload)
    ++count;
  return count;
}

/// Takes records that consist of their slot alone, as nearly all do, up to the first that needs a
/// closer look, or to the end of the lap.
void RingReader::take_run(RingBatch& batch,
                          std::uint64_t until_ticks,
                          std::uint64_t limit,
                          std::size_t space,
                          bool final) {
  const std::uint64_t lap_end = (position_ / wire::kRingSlots + 1) * wire::kRingSlots;
  const std::uint64_t end = std::min({limit, lap_end, position_ + space});
  // Read in parts: how many records there are is unknown, there are many rings, and most have few.
  constexpr std::uint64_t kMaxPart = 64;
  while (position_ < end) {
    const std::size_t part = std::min(end - position_, kMaxPart);
    const std::size_t before = batch.records.size();
    batch.records.resize(before + part);
    const std::size_t taken = copy_plain({batch.records.data() + before, part}, until_ticks, final);
    batch.records.resize(before + taken);
    position_ += taken;
    if (taken < part)
      return;
  }
}

/// Fills `out` from the next slot on, up to the first that is no plain record. @return how many.
std::size_t RingReader::copy_plain(std::span<RawRecord> out,
                                   std::uint64_t until_ticks,
                                   bool final) const {
  const std::uint8_t lap = wire::lap_of(position_);
  const wire::Slot* slot = slots_ + position_ % wire::kRingSlots;
  std::size_t taken = 0;
  for (; taken < out.size(); ++taken, ++slot) {
    // The lines are in another core's cache, further than the hardware's own prefetching bridges.
    __builtin_prefetch(slot + kPrefetchSlots);
    // Pairs with the release store that commits the slot.
    const std::uint64_t head = slot->head.load(std::memory_order_acquire);
    const wire::RecordKind kind = wire::kind_of_head(head);
    const std::uint64_t time = wire::time_of_head(head);
    if (wire::lap_of_head(head) != lap || !is_plain(kind) ||
        (!final && !is_before(time, until_ticks)))
      break;
    out[taken] = {kind, time, slot->address, slot->size, slot->stack, slot->extra, 0, 0};
  }
  return taken;
}

void RingReader::take(RingBatch& batch,
                      std::uint64_t position,
                      std::uint64_t head,
                      std::uint64_t end) {
  const wire::Slot& slot = slots_[position % wire::kRingSlots];
  RawRecord record;
  record.kind = wire::kind_of_head(head);
  record.time = wire::time_of_head(head);
  record.address = slot.address;
  record.size = slot.size;
  record.stack = slot.stack;
  record.extra = slot.extra;
  if (has_payload(record.kind)) {
    const std::uint64_t parts = payload_slots(position, end);
    record.payload_at = static_cast<std::uint32_t>(batch.payload.size());
    record.payload_bytes = static_cast<std::uint32_t>(parts * wire::kPayloadBytes);
    batch.payload.resize(batch.payload.size() + record.payload_bytes);
    std::byte* out = batch.payload.data() + record.payload_at;
    for (std::uint64_t i = 0; i < parts; ++i, out += wire::kPayloadBytes) {
      const wire::Slot& part = slots_[(position + 1 + i) % wire::kRingSlots];
      std::memcpy(out, &part.address, wire::kPayloadBytes);
    }
  }
  batch.records.push_back(record);
}

void RingReader::add_hole(std::uint64_t position) {
  // Handlers nest a few deep, and a long text takes 171 slots: with more holes the host is not
  // honest.
  constexpr std::size_t kMaxHoles = 512;
  if (holes_.size() == kMaxHoles)
    holes_.erase(holes_.begin());
  holes_.push_back(position);
}

bool RingReader::is_handed_out_again(std::uint64_t position) const {
  return __atomic_load_n(&header_->reserved, __ATOMIC_ACQUIRE) - position > wire::kRingSlots;
}

void RingReader::revisit_holes(RingBatch& batch) {
  std::erase_if(holes_, [&](std::uint64_t position) {
    std::uint64_t head = 0;
    if (is_committed(position, head)) {
      // Payload comes with its head, which is committed after it.
      if (wire::kind_of_head(head) != wire::RecordKind::kPayload)
        take(batch, position, head, position_);
      return true;
    }
    return is_handed_out_again(position);
  });
}

bool RingReader::read(RingBatch& batch, std::uint64_t until_ticks, bool final) {
  const std::size_t full = batch.records.size() + kBatchRecords;
  if (!holes_.empty())
    revisit_holes(batch);
  const std::uint64_t limit = released_ + wire::kRingSlots;
  while (position_ < limit) {
    if (batch.records.size() >= full)
      return false;
    if (holes_.empty())
      take_run(batch, until_ticks, limit, full - batch.records.size(), final);
    if (position_ == limit || batch.records.size() >= full)
      continue;
    std::uint64_t head = 0;
    if (!is_committed(position_, head)) {
      const std::uint64_t end = reserved();
      if (end <= position_ + 1 && !final)
        break;
      if (end <= position_ || !is_hole(end))
        break;
      // A commit becomes visible a while after it was made. One that its thread made before a
      // commit that we see is visible by now: only what is still missing is a hole.
      if (!is_committed(position_, head))
        add_hole(position_++);
      continue;
    }
    if (wire::kind_of_head(head) == wire::RecordKind::kPayload) {
      ++position_;  // payload of a hole; read together with it, if that is filled
      continue;
    }
    if (!final && !is_before(wire::time_of_head(head), until_ticks))
      break;
    // For the same reason, a hole that was filled before this record was made must come before it.
    if (!holes_.empty())
      revisit_holes(batch);
    take(batch, position_, head, limit);
    position_ += 1 + batch.records.back().payload_bytes / wire::kPayloadBytes;
  }
  if (final)
    holes_.clear();
  return true;
}

void RingReader::release() {
  std::uint64_t upto = position_;
  for (const std::uint64_t hole : holes_) {
    if (position_ - hole <= kMaxHoleDistanceSlots)
      upto = std::min(upto, hole);
  }
  if (upto <= released_)
    return;
  released_ = upto;
  // Sequentially consistent with the writer's store of writer_waits and its look at read_position:
  // one of the two sees the other.
  header_->read_position.store(upto);
}

std::uint64_t RingReader::space() const {
  return released_ + wire::kRingSlots - reserved();
}

void RingReader::wake_writer() {
  if (header_->writer_waits.load() == 0 || header_->writer_waits.exchange(0) == 0)
    return;
  header_->space_sequence.fetch_add(1);
  syscall(SYS_futex, &header_->space_sequence, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
}

void RingReader::wake_writer_unless_on(std::uint32_t cpu) {
  if (header_->writer_waits.load() != 1 + cpu)
    wake_writer();
}

}  // namespace tidemark
