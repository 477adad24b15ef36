#include "collector/trace/coding/event_encoder.hpp"

namespace tidemark::trace {

EventEncoder::EventEncoder() {
  for (auto& column : columns_) {
    // Not touched before it is needed: most columns stay far below their bound.
    column.bytes =
        std::make_unique_for_overwrite<std::uint8_t[]>(kMaxBlockEvents * kMaxColumnBytesPerEvent);
    column.end = column.bytes.get();
  }
}

void EventEncoder::begin_block(std::uint64_t begin_units, AllocationNumber first_allocation) {
  for (auto& column : columns_)
    column.end = column.bytes.get();
  sizes_.reset();
  stacks_.reset();
  locals_.reset(first_allocation, kMaxBlockEvents);
  digest_.begin_block(first_allocation);
  time_units_ = begin_units;
  run_length_ = 0;
}

inline void EventEncoder::put_time(std::uint64_t at_units) {
  column(Column::kTime).put(at_units - time_units_);
  time_units_ = at_units;
}

inline void EventEncoder::put_tag(EventKind kind, Lane lane, bool is_explicit) {
  const auto tag = (static_cast<unsigned>(kind) + (is_explicit ? kExplicitKinds : 0U)) |
                   (static_cast<unsigned>(lane) << kLaneShift);
  *column(Column::kTag).end++ = static_cast<std::uint8_t>(tag);
}

inline void EventEncoder::put_thread(const Event& event) {
  const auto thread = index(event.thread);
  if (run_length_ == 0 || thread != run_thread_) {
    end_thread_run();
    run_thread_ = thread;
    stacks_.enter(thread);
  }
  ++run_length_;
}

void EventEncoder::end_thread_run() {
  if (run_length_ == 0)
    return;
  column(Column::kThread).put(run_length_);
  column(Column::kThread).put(run_thread_);
  run_length_ = 0;
}

inline void EventEncoder::put_stack(StackId stack) {
  const auto id = index(stack);
  column(Column::kStack).put(id == stacks_.expected() ? 0 : std::uint64_t{id} + 1);
  stacks_.learn(id);
}

inline void EventEncoder::put_ref(AllocationNumber allocation) {
  column(Column::kRef).put(locals_.code_of(allocation));
  locals_.release(allocation);
}

void EventEncoder::put_others(const Event& event) {
  const auto columns = kKindColumns[static_cast<std::size_t>(event.kind) & kKindMask];
  digest_.other(event.kind);
  put_tag(event, false);
  if (columns.size)
    column(Column::kSize).put(event.size);
  if (columns.stack)
    put_stack(event.stack);
  if (columns.ref)
    column(Column::kRef).put(event.allocation);
  if (columns.extra)
    column(Column::kExtra).put(event.extra);
}

void EventEncoder::add_touch(const Event& event) {
  digest_.other(event.kind);
  put_tag(event, false);
  column(Column::kSize).put(event.size);
  put_stack(event.stack);
  column(Column::kRef).put(locals_.touched_code_of(event.allocation));
  column(Column::kExtra)
      .put(event.kind == EventKind::kCopy ? locals_.touched_code_of(event.released) : event.extra);
}

/// All of an allocation but what the digest keeps of it.
inline void EventEncoder::put_allocate(const Event& event) {
  auto& slot = sizes_.of(index(event.stack));
  const bool is_explicit = slot.size != event.size || slot.extra != event.extra;
  put_tag(event, is_explicit);
  put_stack(event.stack);
  if (is_explicit) {
    column(Column::kSize).put(event.size);
    column(Column::kExtra).put(zigzag(event.extra - expected_extra(event.lane, event.size)));
    slot = {event.size, event.extra};
  }
  locals_.allocate(event.size);
}

inline void EventEncoder::add_allocate(const Event& event) {
  put_allocate(event);
  digest_.allocate(event);
}

inline void EventEncoder::add_release(const Event& event) {
  const auto allocation = event.allocation;
  const bool is_explicit =
      !locals_.holds(allocation) || locals_.remaining(allocation) != event.size;
  put_tag(event, is_explicit);
  put_ref(allocation);
  digest_.release(event.lane, allocation);
  if (is_explicit)
    column(Column::kSize).put(event.size);
}

void EventEncoder::add_reallocate(const Event& event) {
  const auto released = event.released;
  const bool is_explicit =
      !locals_.holds(released) || locals_.remaining(released) != event.released_size;
  put_tag(event, is_explicit);
  put_stack(event.stack);
  put_ref(released);
  digest_.release(event.lane, released);
  column(Column::kSize).put(event.size);
  if (is_explicit)
    column(Column::kSize).put(event.released_size);
  column(Column::kExtra).put(zigzag(event.extra - expected_extra(event.lane, event.size)));
  sizes_.of(index(event.stack)) = {event.size, event.extra};
  locals_.allocate(event.size);
  digest_.allocate(event);
}

/// @param gone the bytes that go; negative: that come.
void EventEncoder::add_part(const Event& event, std::int64_t gone) {
  put_tag(event, false);
  put_ref(event.allocation);
  column(Column::kSize).put(event.size);
  digest_.release_part(event.allocation, gone);
  if (locals_.holds(event.allocation))
    locals_.remaining(event.allocation) -= static_cast<std::uint64_t>(gone);
}

void EventEncoder::add(const Event& event, std::uint64_t at_units) {
  put_thread(event);
  put_time(at_units);
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

void EventEncoder::add_fleeting(const Event& allocation,
                                std::uint64_t at_units,
                                std::uint64_t freed_units) {
  put_thread(allocation);
  ++run_length_;
  put_time(at_units);
  put_allocate(allocation);
  put_time(freed_units);
  put_tag(EventKind::kRelease, allocation.lane, false);
  put_ref(locals_.next() - 1);
  digest_.pass(allocation);
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
  for (const auto& column : columns_)
    append(column.view());
  digest_column_.clear();
  digest_.finish(digest_column_);
  append(digest_column_);
}

}  // namespace tidemark::trace
