#include "collector/trace/coding/event_encoder.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::trace {

EventEncoder::EventEncoder() {
  for (auto& column : columns_) {
    // Not touched before it is needed: most columns stay far below their bound.
    column =
        std::make_unique_for_overwrite<std::uint8_t[]>(kMaxBlockEvents * kMaxColumnBytesPerEvent);
  }
  rewind();
}

/// All columns are empty.
void EventEncoder::rewind() {
  for (std::size_t i = 0; i < kColumnCount; ++i)
    ends_.of(static_cast<Column>(i)) = columns_[i].get();
}

void EventEncoder::begin_block(std::uint64_t begin_units, AllocationNumber first_allocation) {
  rewind();
  sizes_.reset();
  stacks_.reset();
  numbers_.reset(first_allocation);
  digest_.begin_block(first_allocation);
  time_units_ = begin_units;
  run_length_ = 0;
}

inline void EventEncoder::put_thread(ThreadId of, std::uint32_t events) {
  const auto thread = index(of);
  if (run_length_ == 0 || thread != run_thread_) {
    end_thread_run();
    run_thread_ = thread;
    stacks_.enter(thread);
  }
  run_length_ += events;
}

void EventEncoder::end_thread_run() {
  if (run_length_ == 0)
    return;
  ends_.put(Column::kThread, run_length_);
  ends_.put(Column::kThread, run_thread_);
  run_length_ = 0;
}

inline void EventEncoder::put_stack(ColumnEnds& ends, StackId stack) {
  const auto id = index(stack);
  ends.put(Column::kStack, id == stacks_.expected() ? 0 : std::uint64_t{id} + 1);
  stacks_.learn(id);
}

inline void EventEncoder::put_ref(ColumnEnds& ends,
                                  BlockNumbers& numbers,
                                  AllocationNumber allocation) {
  ends.put(Column::kRef, numbers.code_of(allocation));
  numbers.release(allocation);
}

void EventEncoder::put_others(const Event& event) {
  const auto columns = kKindColumns[static_cast<std::size_t>(event.kind) & kKindMask];
  digest_.other(event.kind);
  ends_.put_tag(event.kind, event.lane, false);
  if (columns.size)
    ends_.put(Column::kSize, event.size);
  if (columns.stack)
    put_stack(ends_, event.stack);
  if (columns.ref)
    ends_.put(Column::kRef, event.allocation);
  if (columns.extra)
    ends_.put(Column::kExtra, event.extra);
}

void EventEncoder::add_touch(const Event& event) {
  digest_.other(event.kind);
  ends_.put_tag(event.kind, event.lane, false);
  ends_.put(Column::kSize, event.size);
  put_stack(ends_, event.stack);
  ends_.put(Column::kRef, numbers_.touched_code_of(event.allocation));
  ends_.put(Column::kExtra, event.kind == EventKind::kCopy
                                ? numbers_.touched_code_of(event.released)
                                : event.extra);
}

/// Writes an allocation, except for its entry in the digest.
inline void EventEncoder::put_allocation(ColumnEnds& ends, const Allocation& allocation) {
  auto& slot = sizes_.of(index(allocation.stack));
  const bool is_explicit = slot.size != allocation.size || slot.extra != allocation.extra;
  ends.put_tag(EventKind::kAllocate, allocation.lane, is_explicit);
  put_stack(ends, allocation.stack);
  if (is_explicit) {
    ends.put(Column::kSize, allocation.size);
    ends.put(Column::kExtra,
             zigzag(allocation.extra - expected_extra(allocation.lane, allocation.size)));
    slot = {allocation.size, allocation.extra};
  }
}

void EventEncoder::add_allocate(const Event& event) {
  put_allocation(ends_, {event.lane, event.stack, event.size, event.extra});
  numbers_.add();
  digest_.allocate(event);
}

/// True if the reader cannot know the size: the allocation is of an earlier block, or the size is
/// not what was left.
inline bool EventEncoder::is_size_stored(const BlockNumbers& numbers,
                                         const DigestBuilder::Local* locals,
                                         const Released& released) {
  const auto local = numbers.index_of(released.allocation);
  return local >= numbers.count() || locals[local].bytes != released.size;
}

inline void EventEncoder::put_release(ColumnEnds& ends,
                                      BlockNumbers& numbers,
                                      Lane lane,
                                      const Released& released,
                                      bool is_explicit) {
  ends.put_tag(EventKind::kRelease, lane, is_explicit);
  put_ref(ends, numbers, released.allocation);
  if (is_explicit)
    ends.put(Column::kSize, released.size);
}

void EventEncoder::add_release(const Event& event) {
  const Released released{event.allocation, event.size};
  put_release(ends_, numbers_, event.lane, released,
              is_size_stored(numbers_, digest_.locals(), released));
  digest_.release(event.lane, event.allocation);
}

/// Writes a reallocation, except for its entries in the digest.
inline void EventEncoder::put_reallocation(ColumnEnds& ends,
                                           BlockNumbers& numbers,
                                           const Allocation& allocation,
                                           const Released& released,
                                           bool is_explicit) {
  ends.put_tag(EventKind::kReallocate, allocation.lane, is_explicit);
  put_stack(ends, allocation.stack);
  put_ref(ends, numbers, released.allocation);
  ends.put(Column::kSize, allocation.size);
  if (is_explicit)
    ends.put(Column::kSize, released.size);
  ends.put(Column::kExtra,
           zigzag(allocation.extra - expected_extra(allocation.lane, allocation.size)));
  sizes_.of(index(allocation.stack)) = {allocation.size, allocation.extra};
}

void EventEncoder::add_reallocate(const Event& event) {
  const Released released{event.released, event.released_size};
  put_reallocation(ends_, numbers_, {event.lane, event.stack, event.size, event.extra}, released,
                   is_size_stored(numbers_, digest_.locals(), released));
  numbers_.add();
  digest_.release(event.lane, event.released);
  digest_.allocate(event);
}

/// @param gone the bytes released; negative: added.
void EventEncoder::add_part(const Event& event, std::int64_t gone) {
  ends_.put_tag(event.kind, event.lane, false);
  put_ref(ends_, numbers_, event.allocation);
  ends_.put(Column::kSize, event.size);
  digest_.release_part(event.allocation, gone);
}

void EventEncoder::add(const Event& event, std::uint64_t at_units) {
  put_thread(event.thread, 1);
  ends_.put(Column::kTime, at_units - std::exchange(time_units_, at_units));
  switch (event.kind) {
    case EventKind::kAllocate:
      return add_allocate(event);
    case EventKind::kRelease:
      return add_release(event);
    case EventKind::kReallocate:
      return add_reallocate(event);
    case EventKind::kReleasePart:
      return add_part(event, static_cast<std::int64_t>(event.size));
    case EventKind::kGrow:
      return add_part(event, -static_cast<std::int64_t>(event.size));
    case EventKind::kCopy:
    case EventKind::kFill:
    case EventKind::kReadInto:
      return add_touch(event);
    default:
      return put_others(event);
  }
}

std::uint64_t EventEncoder::add_heap(ThreadId thread,
                                     std::span<const HeapEvent> events,
                                     std::uint64_t at_units) {
  put_thread(thread, static_cast<std::uint32_t>(events.size()));
  // Copies: see ColumnEnds.
  ColumnEnds ends = ends_;
  BlockNumbers numbers = numbers_;
  DigestBuilder::Local* const locals = digest_.locals();
  const std::uint64_t locals_before = numbers.count();
  std::uint64_t frees = 0;
  std::uint64_t before_units = time_units_;
  const auto release = [&](AllocationNumber allocation) {
    ++frees;
    if (const auto local = numbers.index_of(allocation); local < numbers.count()) [[likely]]
      locals[local].owner = DigestBuilder::Local::kGone;
    else
      digest_.release_older(allocation);
  };
  for (const HeapEvent& event : events) {
    at_units = std::max(at_units, event.at_ns / kTimeUnitNs);
    ends.put(Column::kTime, at_units - before_units);
    before_units = at_units;
    if (event.kind == EventKind::kRelease) {
      const Released released{event.allocation, event.size};
      put_release(ends, numbers, Lane::kHeap, released, is_size_stored(numbers, locals, released));
      release(event.allocation);
      continue;
    }
    const Allocation allocation{Lane::kHeap, event.stack, event.size, event.extra};
    if (event.kind == EventKind::kReallocate) [[unlikely]] {
      const Released released{event.released, event.released_size};
      put_reallocation(ends, numbers, allocation, released,
                       is_size_stored(numbers, locals, released));
      release(event.released);
    } else {
      put_allocation(ends, allocation);
    }
    locals[numbers.add()] = DigestBuilder::local_of(event.size, event.stack, thread, Lane::kHeap);
  }
  digest_.count_run(numbers.count() - locals_before, frees);
  time_units_ = at_units;
  numbers_ = numbers;
  ends_ = ends;
  return at_units;
}

void EventEncoder::finish(Compressor& compressor, ByteBuffer& out) {
  end_thread_run();
  ByteWriter writer(out);
  constexpr std::size_t kStreams = kColumnCount + 1;
  writer.fixed(static_cast<std::uint32_t>(kStreams));
  auto directory = out.size();
  out.resize(directory + kStreams * 8);
  const auto append = [&](ByteView stream) {
    const auto before = out.size();
    compressor.append(stream, out);
    store(&out[directory], static_cast<std::uint32_t>(out.size() - before));
    store(&out[directory + 4], static_cast<std::uint32_t>(stream.size()));
    directory += 8;
  };
  for (std::size_t i = 0; i < kColumnCount; ++i)
    append({columns_[i].get(), ends_.of(static_cast<Column>(i))});
  append(digest_.finish());
}

}  // namespace tidemark::trace
