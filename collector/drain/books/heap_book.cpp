#include "collector/drain/books/heap_book.hpp"

#include <algorithm>
#include <utility>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;
using wire::RecordKind;

namespace {

/// Where another thread's records lie between an allocation and its free, the drain does not see
/// the two as a pair (Drain::release_at_once). They still never enter the table, whose lines are
/// far away: four threads of pairs beside 4 million live allocations take 1.56 s of the collector
/// instead of 2.13 s.
bool is_next_its_free(std::uint64_t address, std::span<const RawRecord> following) {
  return !following.empty() && following[0].kind == RecordKind::kFree &&
         following[0].address == address;
}

}  // namespace

inline void HeapBook::place(const Source& source, std::uint64_t address, const LiveBlock& block) {
  if (const auto old = source.host->tables.heap.insert(address, block)) {
    // Its free passed us by: made inside an allocator, or dropped.
    ++unmatched_releases_;
    sink_.emit_release(source, *old);
    source.host->tables.large.erase(address, old->allocation);
  }
  if (LargeBlocks::is_large(block.size) && block.allocation != trace::kNoAllocation) [[unlikely]]
    source.host->tables.large.insert(address, block.size, block.allocation);
}

inline std::optional<LiveBlock> HeapBook::take(Source& source, std::uint64_t address) {
  if (address == source.fleeting_address && address != 0) {
    source.fleeting_address = 0;
    return source.fleeting;
  }
  const std::optional<LiveBlock> block = source.host->tables.heap.take(address);
  if (block && LargeBlocks::is_large(block->size) && block->allocation != trace::kNoAllocation)
      [[unlikely]]
    source.host->tables.large.erase(address, block->allocation);
  return block;
}

/// Has the table's lines of records that come soon at hand by then.
inline void HeapBook::expect(const Source& source, const Behind& behind) {
  constexpr std::size_t kSoonRecords = 6;
  constexpr std::size_t kLaterRecords = 14;
  if (behind.following.size() > kLaterRecords)
    source.host->tables.heap.expect(behind.following[kSoonRecords].address,
                                    behind.following[kLaterRecords].address);
}

void HeapBook::see(Source& source, const wire::Allocate& allocation, const Behind& behind) {
  expect(source, behind);
  if (source.backs_device(allocation.address, allocation.bytes)) [[unlikely]] {
    place(source, allocation.address, {trace::kNoAllocation, allocation.bytes});
    return;
  }
  const std::uint64_t number = sink_.emit_allocation(source, Lane::kHeap, allocation.bytes,
                                                     allocation.stack, allocation.slack);
  if (is_next_its_free(allocation.address, behind.following) &&
      !LargeBlocks::is_large(allocation.bytes)) {
    source.fleeting_address = allocation.address;
    source.fleeting = {number, allocation.bytes};
  } else {
    place(source, allocation.address, {number, allocation.bytes});
  }
}

void HeapBook::see(Source& source, const wire::Free& release, const Behind& behind) {
  expect(source, behind);
  if (const auto block = take(source, release.address))
    sink_.emit_release(source, *block);
  else
    ++unmatched_releases_;
}

void HeapBook::see(Source& source, const wire::ReallocBegin& begin, const Behind& behind) {
  expect(source, behind);
  PendingCall& call = source.pending();
  sink_.give_up(source, call);
  call.address = begin.address;
  call.block = take(source, begin.address);
}

void HeapBook::see(Source& source, const wire::ReallocEnd& end, const Behind& behind) {
  expect(source, behind);
  Host& host = *source.host;
  const std::optional<LiveBlock> old = std::exchange(source.pending().block, std::nullopt);
  if (end.address == 0) {  // realloc(p, 0): a free
    if (old)
      sink_.emit_release(source, *old);
    return;
  }
  // From before the recording, or a driver's.
  if (!old || old->allocation == trace::kNoAllocation) {
    if (!old)
      ++unmatched_releases_;
    const std::uint64_t number =
        sink_.emit_allocation(source, Lane::kHeap, end.bytes, end.stack, end.slack);
    place(source, end.address, {number, end.bytes});
    return;
  }
  Event event;
  event.kind = EventKind::kReallocate;
  event.lane = Lane::kHeap;
  event.size = end.bytes;
  event.released = old->allocation;
  event.released_size = old->size;
  event.extra = end.slack;
  event.stack = host.tables.stacks.stack(end.stack);
  event.at_ns = sink_.now_ns();
  event.thread = source.thread;
  sink_.keep_peak(host, old->size - std::min(old->size, end.bytes));
  host.shrink(Lane::kHeap, old->size);
  const std::uint64_t number = sink_.emit_growth(host, event);
  place(source, end.address, {number, end.bytes});
  if (LargeBlocks::is_large(old->size)) [[unlikely]]
    host.tables.origins.move(old->allocation, number, end.bytes);
}

void HeapBook::see(Source& source, const wire::ReallocFailed& failure, const Behind& behind) {
  expect(source, behind);
  PendingCall& call = source.pending();
  if (call.block)
    place(source, call.address, *std::exchange(call.block, std::nullopt));
  sink_.emit_failure(source, Lane::kHeap, failure.bytes, failure.stack);
}

void HeapBook::see(Source& source, const wire::AllocationFailed& failure, const Behind& behind) {
  expect(source, behind);
  if (!source.backs_device(0, failure.bytes))  // else the driver's refusal says it
    sink_.emit_failure(source, Lane::kHeap, failure.bytes, failure.stack);
}

bool HeapBook::see_fleeting(Source& source,
                            const wire::Allocate& allocation,
                            std::uint64_t freed_ns) {
  // It may be the driver's memory; and a large one may stand where a block is whose free we missed.
  if (source.device_request != 0 || LargeBlocks::is_large(allocation.bytes))
    return false;
  sink_.emit_fleeting(source, allocation.bytes, allocation.stack, allocation.slack, freed_ns);
  return true;
}

}  // namespace tidemark
