#include "collector/trace/coding/event_decoder.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

constexpr std::size_t kPartEvents = 512;

}  // namespace

bool EventDecoder::unpack_columns(ByteView payload, std::uint32_t event_count) {
  ByteReader reader(payload);
  const auto count = reader.fixed<std::uint32_t>();
  ByteReader directory(reader.bytes(std::uint64_t{count} * 8));
  if (reader.failed() || count < kColumnCount)
    return false;
  for (auto& column : columns_) {
    const auto packed = directory.fixed<std::uint32_t>();
    const auto size = directory.fixed<std::uint32_t>();
    if (!unpack_column(reader.bytes(packed), size, event_count, column) || reader.failed())
      return false;
  }
  return columns_[0].size == event_count;
}

bool EventDecoder::unpack_column(ByteView packed,
                                 std::size_t size,
                                 std::uint32_t event_count,
                                 ColumnBuffer& column) {
  if (size > event_count * kMaxColumnBytesPerEvent || packed.size() > size)
    return false;
  column.size = size;
  column.bytes.resize(std::max(column.bytes.size(), event_count * kMaxColumnBytesPerEvent));
  if (packed.size() < size)
    return decompressor_.unpack(packed, {column.bytes.data(), size});
  std::ranges::copy(packed, column.bytes.begin());
  return true;
}

/// The state of one pass over the columns. A local of `decode`, so that the cursors live in
/// registers.
///
/// It reads varints without bounds. That is safe because no event reads more than
/// kMaxColumnBytesPerEvent from a column, and every column buffer holds that much for each event; a
/// column that ends too early yields bytes of older blocks, and is found when the cursors are
/// compared with the columns' ends at the end.
struct EventDecoder::Loop {
  const std::uint8_t* tag;
  const std::uint8_t* thread;
  const std::uint8_t* time;
  const std::uint8_t* size;
  const std::uint8_t* stack;
  const std::uint8_t* ref;
  const std::uint8_t* extra;

  SizePrediction& sizes;
  StackPrediction& stacks;
  LocalBlocks& locals;
  const IdLimits& limits;
  std::uint32_t time_unit_ns;

  std::uint64_t at_ns = 0;
  std::uint64_t run_length = 0;
  std::uint32_t run_thread = 0;
  std::uint32_t unknown_events = 0;
  bool broken = false;

  /// Every path sets every field: `event` holds what the buffer held before.
  void next(Event& event) {
    const unsigned coded = *tag++;
    unsigned kind = coded & kKindMask;
    const bool is_explicit = kind >= kExplicitKinds;
    kind -= is_explicit ? kExplicitKinds : 0U;
    if (run_length == 0)
      next_run();
    --run_length;
    const auto previous_ns = at_ns;
    at_ns += read_varint(time) * time_unit_ns;
    broken |= at_ns < previous_ns;
    event = Event{.at_ns = at_ns,
                  .thread = ThreadId{run_thread},
                  .kind = static_cast<EventKind>(kind),
                  .lane = lane_of(coded >> kLaneShift)};
    if (event.kind == EventKind::kAllocate)
      return next_allocate(event, is_explicit);
    if (event.kind == EventKind::kRelease)
      return next_release(event, is_explicit);
    if (event.kind == EventKind::kReallocate)
      return next_reallocate(event, is_explicit);
    next_other(event);
  }

  Lane lane_of(unsigned coded) {
    broken |= coded >= kLaneCount;
    return static_cast<Lane>(coded < kLaneCount ? coded : 0);
  }

  void next_run() {
    run_length = read_varint(thread);
    const auto id = read_varint(thread);
    broken |= run_length == 0;
    run_thread = checked(id, limits.threads);
    // Predictions use the stored id: they must not depend on which definitions survived.
    stacks.enter(static_cast<std::uint32_t>(id));
  }

  /// `id`, or the placeholder at the end of its table.
  std::uint32_t checked(std::uint64_t id, std::uint32_t limit) {
    if (id < limit) [[likely]]
      return static_cast<std::uint32_t>(id);
    broken |= !limits.placeholders;
    return limits.placeholders ? limit - 1 : 0;
  }

  /// The stored stack, used for predictions. Events get it through `safe`.
  std::uint32_t next_stack() {
    const auto code = read_varint(stack);
    const auto id = code == 0 ? stacks.expected() : static_cast<std::uint32_t>(code - 1);
    stacks.learn(id);
    return id;
  }
  [[nodiscard]] StackId safe(std::uint32_t id) const {
    return id < limits.stacks ? StackId{id} : kNoStack;
  }

  std::uint64_t next_ref() {
    const auto allocation = locals.allocation_of(read_varint(ref));
    locals.release(allocation);
    broken |= allocation >= locals.next();
    return allocation;
  }

  void next_allocate(Event& event, bool is_explicit) {
    const auto stored_stack = next_stack();
    auto& slot = sizes.of(stored_stack);
    if (is_explicit) {
      slot.size = read_varint(size);
      slot.extra = unzigzag(read_varint(extra)) + expected_extra(event.lane, slot.size);
    }
    event.stack = safe(stored_stack);
    event.size = slot.size;
    event.extra = event.lane == Lane::kFile ? checked(slot.extra, limits.files) : slot.extra;
    event.allocation = locals.next();
    locals.allocate(event.size);
  }

  /// Size released with `allocation`: stored, or known from this block.
  std::uint64_t released_size(AllocationNumber allocation, bool is_explicit) {
    if (is_explicit)
      return read_varint(size);
    if (locals.holds(allocation)) [[likely]]
      return locals.remaining(allocation);
    broken = true;
    return 0;
  }

  void next_release(Event& event, bool is_explicit) {
    event.allocation = next_ref();
    event.size = released_size(event.allocation, is_explicit);
  }

  void next_reallocate(Event& event, bool is_explicit) {
    const auto stored_stack = next_stack();
    event.stack = safe(stored_stack);
    event.released = next_ref();
    event.size = read_varint(size);
    event.released_size = released_size(event.released, is_explicit);
    event.extra = unzigzag(read_varint(extra)) + expected_extra(event.lane, event.size);
    sizes.of(stored_stack) = {event.size, event.extra};
    event.allocation = locals.next();
    locals.allocate(event.size);
  }

  void next_other(Event& event) {
    const auto kind = static_cast<std::size_t>(event.kind);
    const auto columns = kKindColumns[kind];
    if (columns.size)
      event.size = read_varint(size);
    if (columns.stack)
      event.stack = safe(next_stack());
    if (kind >= kEventKindCount)
      return skip_unknown(event);
    if (is_touch(event.kind))
      return next_touch(event);
    if (columns.ref)
      take_part(event);
    if (columns.extra)
      event.extra = safe_extra(event.kind, read_varint(extra));
  }

  void take_part(Event& event) {
    event.allocation = next_ref();
    if (!locals.holds(event.allocation))
      return;
    std::uint64_t& remaining = locals.remaining(event.allocation);
    remaining = event.kind == EventKind::kGrow ? remaining + event.size : remaining - event.size;
  }

  std::uint64_t next_touched(const std::uint8_t*& column) {
    const auto allocation = locals.touched_of(read_varint(column));
    broken |= allocation >= locals.next() && allocation != kNoAllocation;
    return allocation;
  }

  void next_touch(Event& event) {
    event.allocation = next_touched(ref);
    if (event.kind == EventKind::kCopy)
      event.released = next_touched(extra);
    else
      event.extra = std::min<std::uint64_t>(read_varint(extra), kMaxResidentShare);
  }

  void skip_unknown(Event& event) {
    read_varint(ref);
    read_varint(extra);
    ++unknown_events;
    event = Event{.at_ns = event.at_ns, .thread = event.thread, .kind = EventKind::kLost};
  }

  std::uint64_t safe_extra(EventKind kind, std::uint64_t value) {
    switch (kind) {
      case EventKind::kOpen:
      case EventKind::kClose:
      case EventKind::kRead:
        return checked(value, limits.files);
      case EventKind::kProcessBegin:
      case EventKind::kProcessEnd:
        return checked(value, limits.processes);
      case EventKind::kPhaseBegin:
      case EventKind::kPhaseEnd:
      case EventKind::kLoad:
      case EventKind::kUnload:
        return value < limits.names ? value : 0;
      default:
        return value;
    }
  }
};

bool EventDecoder::begin(ByteView payload, const BlockSummary& summary) {
  unknown_events_ = 0;
  if (!unpack_columns(payload, summary.event_count))
    return false;
  sizes_.reset();
  stacks_.reset();
  locals_.reset(summary.first_allocation, summary.event_count);
  return true;
}

EventDecoder::Loop EventDecoder::loop(const BlockSummary& summary,
                                      std::uint32_t time_unit_ns,
                                      const IdLimits& limits) {
  const auto& columns = columns_;
  return {.tag = columns[0].begin(),
          .thread = columns[1].begin(),
          .time = columns[2].begin(),
          .size = columns[3].begin(),
          .stack = columns[4].begin(),
          .ref = columns[5].begin(),
          .extra = columns[6].begin(),
          .sizes = sizes_,
          .stacks = stacks_,
          .locals = locals_,
          .limits = limits,
          .time_unit_ns = time_unit_ns,
          .at_ns = summary.begin_ns};
}

/// Whether the loop consumed exactly the block.
bool EventDecoder::finish(const Loop& loop, const BlockSummary& summary) {
  const std::array cursors{loop.tag,   loop.thread, loop.time, loop.size,
                           loop.stack, loop.ref,    loop.extra};
  bool broken = loop.broken;
  for (std::size_t i = 0; i < kColumnCount; ++i)
    broken |= cursors[i] != columns_[i].end();
  if (broken || loop.run_length != 0 || loop.at_ns != summary.end_ns)
    return false;
  unknown_events_ = loop.unknown_events;
  return true;
}

bool EventDecoder::decode(ByteView payload,
                          const BlockSummary& summary,
                          std::uint32_t time_unit_ns,
                          const IdLimits& limits,
                          std::vector<Event>& events) {
  if (!begin(payload, summary)) {
    events.clear();
    return false;
  }
  Loop loop = this->loop(summary, time_unit_ns, limits);
  // Not cleared first: that would write each event twice.
  events.resize(summary.event_count);
  for (auto& event : events)
    loop.next(event);
  if (finish(loop, summary))
    return true;
  events.clear();
  return false;
}

bool EventDecoder::decode_parts(ByteView payload,
                                const BlockSummary& summary,
                                std::uint32_t time_unit_ns,
                                const IdLimits& limits,
                                const SeeEvents& see) {
  if (!begin(payload, summary))
    return false;
  Loop loop = this->loop(summary, time_unit_ns, limits);
  part_.resize(kPartEvents);
  for (std::size_t left = summary.event_count; left > 0 && !loop.broken;) {
    const auto part = std::span(part_).first(std::min(left, kPartEvents));
    for (auto& event : part)
      loop.next(event);
    see(part);
    left -= part.size();
  }
  return finish(loop, summary);
}

bool EventDecoder::decode_digest(ByteView payload,
                                 const BlockSummary& summary,
                                 const IdLimits& limits,
                                 DigestUse use,
                                 BlockDigest& digest) {
  ByteReader reader(payload);
  const auto count = reader.fixed<std::uint32_t>();
  ByteReader directory(reader.bytes(std::uint64_t{count} * 8));
  if (reader.failed() || count <= kDigestColumn)
    return false;
  ByteView packed;
  std::size_t size = 0;
  for (std::size_t i = 0; i <= kDigestColumn; ++i) {
    const auto bytes_on_disk = directory.fixed<std::uint32_t>();
    size = directory.fixed<std::uint32_t>();
    packed = reader.bytes(bytes_on_disk);
  }
  if (reader.failed() || packed.size() > size ||
      size > kMaxDigestBytes + summary.event_count * kMaxDigestBytesPerEvent)
    return false;
  if (packed.size() < size) {
    digest_column_.resize(size);
    if (!decompressor_.unpack(packed, digest_column_))
      return false;
    packed = digest_column_;
  }
  return trace::decode_digest(packed,
                              {.first_allocation = summary.first_allocation,
                               .event_count = summary.event_count,
                               .threads = limits.threads,
                               .stacks = limits.stacks},
                              use, digest);
}

}  // namespace tidemark::trace
