// The assembler's share of the heap: blocks that come, go and move.

#include "collector/drain/assembler.hpp"

#include <optional>
#include <utility>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;
using wire::RecordKind;

void Assembler::place(Source& source, std::uint64_t address, const LiveBlock& block) {
  if (const auto old = source.host->heap.insert(address, block)) {
    // Its free passed us by: made inside an allocator, or dropped.
    ++unmatched_releases_;
    emit_release(source, *old);
    source.host->large.erase(address, old->allocation);
  }
  if (LargeBlocks::is_large(block.size) && block.allocation != trace::kNoAllocation) [[unlikely]]
    source.host->large.insert(address, block.size, block.allocation);
}

std::optional<LiveBlock> Assembler::take(Source& source, std::uint64_t address) {
  if (address == source.fleeting_address && address != 0) {
    source.fleeting_address = 0;
    return source.fleeting;
  }
  const std::optional<LiveBlock> block = source.host->heap.take(address);
  if (block && LargeBlocks::is_large(block->size) && block->allocation != trace::kNoAllocation)
      [[unlikely]]
    source.host->large.erase(address, block->allocation);
  return block;
}

namespace {

bool is_next_its_free(const RawRecord& allocation, std::span<const RawRecord> following) {
  return !following.empty() && following[0].kind == RecordKind::kFree &&
         following[0].address == allocation.address;
}

}  // namespace

void Assembler::add_heap(Source& source,
                         const RawRecord& record,
                         std::span<const RawRecord> following) {
  constexpr std::size_t kAhead = 8;
  if (following.size() > kAhead)
    source.host->heap.expect(following[kAhead].address);
  switch (record.kind) {
    case RecordKind::kAllocate: {
      if (backs_device(source, record.size)) [[unlikely]] {
        place(source, record.address, {trace::kNoAllocation, record.size});
        break;
      }
      const std::uint64_t number =
          emit_allocation(source, Lane::kHeap, record.size, record.stack, record.extra);
      if (is_next_its_free(record, following) && !LargeBlocks::is_large(record.size)) {
        source.fleeting_address = record.address;
        source.fleeting = {number, record.size};
      } else {
        place(source, record.address, {number, record.size});
      }
      break;
    }
    case RecordKind::kFree:
      if (const auto block = take(source, record.address))
        emit_release(source, *block);
      else
        ++unmatched_releases_;
      break;
    case RecordKind::kReallocBegin: {
      PendingCall& call = pending(source);
      give_up(source, call);
      call.address = record.address;
      call.block = take(source, record.address);
      break;
    }
    case RecordKind::kReallocEnd:
      end_realloc(source, record);
      break;
    case RecordKind::kReallocFailed: {
      PendingCall& call = pending(source);
      if (call.block)
        place(source, call.address, *std::exchange(call.block, std::nullopt));
      emit_simple(source, EventKind::kFail, record.size, 0, record.stack);
      break;
    }
    default:
      if (!backs_device(source, record.size))  // else the driver's refusal says it
        emit_simple(source, EventKind::kFail, record.size, 0, record.stack);
      break;
  }
}

bool Assembler::add_fleeting(std::uint32_t ring,
                             const RawRecord& allocation,
                             std::uint64_t at_ns,
                             std::uint64_t freed_ns) {
  if (ring >= sources_.size() || sources_[ring].host == nullptr)
    return false;
  Source& source = sources_[ring];
  // It may be the driver's memory; and a large one may stand where a block is whose free we missed.
  if (source.device_request != 0 || LargeBlocks::is_large(allocation.size))
    return false;
  Event event;
  event.size = allocation.size;
  event.stack = source.host->stacks.stack(allocation.stack);
  event.extra = allocation.extra;
  event.at_ns = now_ns_ = at_ns;
  event.thread = source.thread;
  Host& host = *source.host;
  host.note(event.lane, event.size, at_ns);
  host.totals[event.lane] -= event.size;
  note_peak(writer_.totals().footprint() + event.size);
  writer_.append_fleeting(event, freed_ns);
  now_ns_ = freed_ns;
  return true;
}

void Assembler::end_realloc(Source& source, const RawRecord& record) {
  Host& host = *source.host;
  const std::optional<LiveBlock> old = std::exchange(pending(source).block, std::nullopt);
  if (record.address == 0) {  // realloc(p, 0): a free
    if (old)
      emit_release(source, *old);
    return;
  }
  if (!old ||
      old->allocation == trace::kNoAllocation) {  // from before the recording, or a driver's
    if (!old)
      ++unmatched_releases_;
    const std::uint64_t number =
        emit_allocation(source, Lane::kHeap, record.size, record.stack, record.extra);
    place(source, record.address, {number, record.size});
    return;
  }
  Event event;
  event.kind = EventKind::kReallocate;
  event.lane = Lane::kHeap;
  event.size = record.size;
  event.released = old->allocation;
  event.released_size = old->size;
  event.extra = record.extra;
  event.stack = host.stacks.stack(record.stack);
  event.at_ns = now_ns_;
  event.thread = source.thread;
  host.totals[Lane::kHeap] -= old->size;
  const std::uint64_t number = emit_growth(host, event);
  place(source, record.address, {number, record.size});
}

}  // namespace tidemark
