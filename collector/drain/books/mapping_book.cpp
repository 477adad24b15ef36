#include "collector/drain/books/mapping_book.hpp"

#include "collector/process/memory_areas.hpp"
#include "collector/process/shared_segments.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <linux/mman.h>
#include <sys/mman.h>

namespace tidemark {

using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint64_t kLargeReservation = std::uint64_t{32} << 20U;

std::uint64_t page_end(std::uint64_t address, std::uint64_t length) {
  if (address >= kAddressEnd)
    return address;  // an empty range
  return length > kAddressEnd - address ? kAddressEnd : wire::round_to_page(address + length);
}

wire::MappingArguments arguments_of(std::span<const std::byte> payload) {
  wire::MappingArguments arguments{-1, PROT_READ | PROT_WRITE, 0, 0, 0};
  if (payload.size() >= sizeof arguments)
    std::memcpy(&arguments, payload.data(), sizeof arguments);
  return arguments;
}

bool is_accessible(std::uint32_t protection) {
  return protection != PROT_NONE;
}

bool is_writable(std::uint32_t protection) {
  return (protection & PROT_WRITE) != 0;
}

PageRange range_of(const Mapping& mapping) {
  return {mapping.begin, mapping.end};
}

/// @return empty if it is gone already. For another IPC namespace, the length comes from the
/// process's own list of areas while it is attached.
std::optional<std::uint64_t> attached_bytes(const SegmentName& name,
                                            pid_t pid,
                                            std::uint64_t address) {
  if (const auto segment = find_segment(name))
    return segment->bytes;
  for (const MemoryArea& area : read_memory_areas(pid)) {
    if (area.pages.begin == address && area.name.starts_with("/SYSV"))
      return area.pages.bytes();
  }
  return std::nullopt;
}

}  // namespace

void MappingBook::see(Source& source, const wire::Map& map, const Behind& behind) {
  const wire::MappingArguments arguments = arguments_of(behind.payload);
  Mapping mapping{
      .begin = map.address, .end = page_end(map.address, map.bytes), .kind = Mapping::Kind::kAnon};
  if (mapping.begin >= mapping.end)
    return;
  mapping.is_private = arguments.descriptor >= 0 && (arguments.flags & MAP_TYPE) == MAP_PRIVATE;
  mapping.is_writable = is_writable(arguments.protection);
  if (arguments.internal != 0) {
    mapping.kind = Mapping::Kind::kInternal;
  } else if (source.backs_device(arguments.descriptor < 0 ? map.address : 0, map.bytes)) {
    mapping.kind = Mapping::Kind::kInternal;
    shared_.back_device(source, arguments);
  } else if (const auto object = shared_.mapped(source, map, arguments)) {
    mapping.kind = Mapping::Kind::kShared;
    mapping.object = *object;
    mapping.base = mapping.begin - arguments.offset;
  } else if (arguments.descriptor >= 0) {
    const trace::FileId file =
        files_.mapped_file(*source.host, static_cast<std::uint32_t>(arguments.descriptor));
    mapping.kind = Mapping::Kind::kFile;
    mapping.file = trace::index(file);
    mapping.offset = arguments.offset;
    files_.note_use(file, mapping.bytes());
    if ((arguments.protection & PROT_EXEC) != 0)
      files_.note_executable(file);
  } else {
    // A mapping placed into a MAP_NORESERVE range is of the same kind.
    const Mapping* below = source.host->tables.mappings.find(map.address);
    mapping.is_lazy =
        (arguments.flags & MAP_NORESERVE) != 0 ||
        (below != nullptr && below->kind == Mapping::Kind::kReserved && below->is_lazy);
    if (!is_accessible(arguments.protection)) {
      mapping.kind = Mapping::Kind::kReserved;
      // Programs that reserve so much without access make more of it accessible than they use.
      mapping.is_of_reservation = mapping.bytes() >= kLargeReservation;
    }
    mapping.is_of_reservation =
        mapping.is_of_reservation || (below != nullptr && below->is_of_reservation);
  }
  open_range(source, mapping, map.stack);
}

/// Pages written in a private file mapping count as anonymous memory from then on.
void MappingBook::expect_writes(const Source& source, Mapping& mapping, std::uint32_t node) {
  if (!mapping.is_private || !mapping.is_writable || mapping.written != Mapping::kNoAllocation)
    return;
  const std::uint64_t of_file = mapping.kind == Mapping::Kind::kFile ? mapping.file + 1 : 0;
  mapping.written = sink_.emit_allocation(source, Lane::kAnon, 0, node, of_file);
  pages_.expect_writes(*source.host, mapping);
}

void MappingBook::see(Source& source, const wire::MapFailed& failure, const Behind& behind) {
  const Lane lane = arguments_of(behind.payload).descriptor >= 0 ? Lane::kFile : Lane::kAnon;
  sink_.emit_failure(source, lane, failure.bytes, failure.stack);
}

void MappingBook::see(Source& source, const wire::Unmap& unmap, const Behind&) {
  // The kernel refuses an unaligned address: nothing is unmapped, and nothing must be restored.
  if (unmap.address % wire::kPageBytes == 0) {
    source.pending().unmapped =
        take_away(source, unmap.address, page_end(unmap.address, unmap.bytes));
  } else {
    source.pending().unmapped.clear();
  }
}

/// A segment that is gone already has no known length.
void MappingBook::see(Source& source, const wire::Attach& attach, const Behind&) {
  const pid_t pid = source.host->process() != nullptr ? source.host->process()->pid() : 0;
  const SegmentName name = name_segment(pid, static_cast<int>(attach.segment));
  const std::optional<std::uint64_t> bytes = attached_bytes(name, pid, attach.address);
  if (!bytes)
    return;
  const Mapping mapping{.begin = attach.address,
                        .end = page_end(attach.address, *bytes),
                        .kind = Mapping::Kind::kShared,
                        .base = attach.address,
                        .object = shared_.attached(source, name, attach)};
  open_range(source, mapping, attach.stack);
}

/// Removes all of the segment, even if mprotect has split it.
void MappingBook::see(Source& source, const wire::Detach& detach, const Behind&) {
  const Mapping* mapping = source.host->tables.mappings.find(detach.address);
  if (mapping == nullptr || mapping->kind != Mapping::Kind::kShared ||
      mapping->begin != detach.address || !shared_.is_segment(mapping->object))
    return;
  const SharedObjectId object = mapping->object;
  std::uint64_t end = detach.address;
  for (; mapping != nullptr && mapping->kind == Mapping::Kind::kShared && mapping->object == object;
       mapping = source.host->tables.mappings.find(end))
    end = mapping->end;
  take_away(source, detach.address, end);
}

void MappingBook::see(Source& source, const wire::UnmapFailed&, const Behind&) {
  for (Mapping& mapping : std::exchange(source.pending().unmapped, {})) {
    mapping.whole = true;
    open_range(source, mapping, wire::kNoNode);
  }
}

void MappingBook::see(Source& source, const wire::RemapBegin& begin, const Behind&) {
  sink_.give_up(source);
  PendingCall& call = source.pending();
  call.moved_from = begin.address;
  const Mapping* doubled =
      begin.bytes == 0 ? source.host->tables.mappings.find(begin.address) : nullptr;
  if (doubled != nullptr && doubled->kind == Mapping::Kind::kShared)
    call.doubled = *doubled;
  const std::uint64_t end = page_end(begin.address, begin.bytes);
  sink_.settle_in(*source.host, {begin.address, end}, EventSink::As::kGone);
  call.moving = source.host->tables.mappings.take(begin.address, end);
  for (const Mapping& mapping : call.moving)
    source.host->tables.areas.goes(mapping);
  call.moving_pages = source.host->tables.pages.take({begin.address, end});
}

void MappingBook::see(Source& source, const wire::RemapEnd& end_of_call, const Behind& behind) {
  PendingCall& call = source.pending();
  if (end_of_call.address >= kAddressEnd)
    sink_.give_up(source);
  const std::vector<Mapping> moved = call.moving;  // stays in `call` until they are placed
  PageStates pages = std::exchange(call.moving_pages, {});
  if (call.doubled)
    place_double(source, *std::exchange(call.doubled, std::nullopt), end_of_call);
  const PageRange destination{end_of_call.address,
                              page_end(end_of_call.address, end_of_call.bytes)};
  if (moved.empty()) {  // a mapping from before the recording
    if (source.host->tables.mappings.in(destination.begin, destination.end).empty())
      source.host->tables.areas.explained(destination);
    return;
  }
  take_away(source, destination.begin, destination.end);
  std::uint64_t filled = destination.begin;
  for (const Mapping& mapping : moved)
    filled = std::max(filled, move_stretch(source, mapping, call.moved_from, destination, pages));
  if (filled < destination.end) {
    Mapping grown = moved.back();
    grown.offset += grown.bytes();
    grown.begin = filled;
    grown.end = destination.end;
    grown.whole = true;
    open_range(source, grown, end_of_call.stack);
  }
  if ((arguments_of(behind.payload).flags & MREMAP_DONTUNMAP) != 0)
    leave_behind(source, moved, end_of_call.stack);
  call.moving.clear();
  for (const Mapping& mapping : moved) {
    if (mapping.kind == Mapping::Kind::kShared)
      shared_.end_unless_held(mapping.object);
  }
}

/// Moves one stretch of an mremap from `old_begin` to `destination`; what does not fit was
/// unmapped.
/// @return its end.
std::uint64_t MappingBook::move_stretch(const Source& source,
                                        const Mapping& old,
                                        std::uint64_t old_begin,
                                        const PageRange& destination,
                                        PageStates& pages) {
  Mapping placed = old;
  placed.begin = destination.begin + (old.begin - old_begin);
  placed.base = placed.begin - (old.begin - old.base);
  placed.end = std::max(placed.begin, std::min(placed.begin + old.bytes(), destination.end));
  placed.whole = old.whole && placed.bytes() == old.bytes();
  Mapping lost = old;
  lost.begin = old.begin + placed.bytes();
  lost.whole = old.whole && placed.bytes() == 0;
  if (placed.begin < placed.end) {
    source.host->tables.pages.put(pages, {old.begin, lost.begin}, placed.begin);
    source.host->tables.areas.mapped(range_of(placed));
    source.host->tables.mappings.insert(placed);
    if (placed.is_bare)
      source.host->tables.bare.add(range_of(placed));
  }
  if (lost.begin < lost.end) {
    pages_.note_going(*source.host, lost, pages);
    release(source, lost, pages);
  }
  return placed.end;
}

/// MREMAP_DONTUNMAP: the old mappings stay, without their pages, which have moved.
void MappingBook::leave_behind(const Source& source,
                               const std::vector<Mapping>& moved,
                               std::uint32_t node) {
  for (Mapping mapping : moved) {
    mapping.whole = true;
    mapping.is_lazy = true;
    if (mapping.kind != Mapping::Kind::kFile)
      open_range(source, mapping, node);
  }
}

/// mremap with an old size of 0 maps shared memory a second time.
void MappingBook::place_double(const Source& source,
                               Mapping mapping,
                               const wire::RemapEnd& end_of_call) {
  mapping.base = end_of_call.address - (mapping.begin - mapping.base);
  mapping.begin = end_of_call.address;
  mapping.end = page_end(end_of_call.address, end_of_call.bytes);
  if (mapping.begin < mapping.end)
    open_range(source, mapping, end_of_call.stack);
}

void MappingBook::see(Source& source, const wire::RemapFailed& failure, const Behind& behind) {
  const PageStates pages = std::exchange(source.pending().moving_pages, {});
  for (const Mapping& mapping : std::exchange(source.pending().moving, {})) {
    put(source, mapping);
    source.host->tables.pages.put(pages, range_of(mapping), mapping.begin);
  }
  const wire::MappingArguments arguments = arguments_of(behind.payload);
  // Programs try to grow a mapping in place, and move it if that fails: not a failed request.
  if ((arguments.flags & MREMAP_MAYMOVE) == 0)
    return;
  const Lane lane = arguments.descriptor >= 0 ? Lane::kFile : Lane::kAnon;
  sink_.emit_failure(source, lane, failure.bytes, failure.stack);
}

void MappingBook::see(Source& source, const wire::Advise& advice, const Behind&) {
  sink_.emit_simple(source, EventKind::kAdvise, advice.bytes, advice.advice);
  const std::uint64_t end = page_end(advice.address, advice.bytes);
  const auto how = PageBook::how_given_back(advice.advice);
  if (how && advice.address < end)
    pages_.give_back(source, {advice.address, end}, *how);
}

void MappingBook::see(Source& source, const wire::Break& moved, const Behind&) {
  if (std::max(moved.before, moved.after) > kAddressEnd)
    return;
  if (moved.after < moved.before)
    take_away(source, moved.after, moved.before);
  else {
    open_range(
        source,
        {.begin = moved.before, .end = moved.after, .kind = Mapping::Kind::kAnon, .is_break = true},
        moved.stack);
  }
}

void MappingBook::see(Source& source, const wire::Protect& protect, const Behind&) {
  const std::uint64_t end = page_end(protect.address, protect.bytes);
  sink_.settle_in(*source.host, {protect.address, end}, EventSink::As::kGone);
  for (Mapping mapping : source.host->tables.mappings.take(protect.address, end)) {
    const bool opens =
        is_accessible(protect.protection) && mapping.kind == Mapping::Kind::kReserved;
    const bool closes = !is_accessible(protect.protection) && mapping.kind == Mapping::Kind::kAnon;
    if (closes)
      release(source, mapping, source.host->tables.pages);
    if (opens || closes) {
      mapping.kind = opens ? Mapping::Kind::kAnon : Mapping::Kind::kReserved;
      mapping.whole = true;
      open_range(source, mapping, protect.stack);
    } else {
      mapping.is_writable = mapping.is_writable || is_writable(protect.protection);
      expect_writes(source, mapping, protect.stack);
      source.host->tables.mappings.insert(mapping);
    }
  }
}

/// Puts a stretch into the table, and replaces whatever is there: because of MAP_FIXED, or of
/// missing records.
void MappingBook::put(const Source& source, const Mapping& mapping) {
  take_away(source, mapping.begin, mapping.end);
  source.host->tables.areas.mapped(range_of(mapping));
  source.host->tables.mappings.insert(mapping);
}

/// The same, with an allocation of its own if it counts.
void MappingBook::open_range(const Source& source, const Mapping& wanted, std::uint32_t node) {
  Mapping mapping = wanted;
  take_away(source, mapping.begin, mapping.end);
  source.host->tables.areas.mapped(range_of(mapping));
  mapping.written = Mapping::kNoAllocation;
  if (mapping.kind != Mapping::Kind::kShared)
    mapping.base = mapping.begin;
  if (mapping.kind != Mapping::Kind::kInternal)
    expect_writes(source, mapping, node);
  if (mapping.counts()) {
    const bool is_file = mapping.kind == Mapping::Kind::kFile;
    if (!is_file && !mapping.is_lazy &&
        (mapping.bytes() >= EventSink::kWorthALook || mapping.is_of_reservation) &&
        sink_.await_look(source, mapping, node)) {
      mapping.allocation = Mapping::kNoAllocation;
      source.host->tables.mappings.insert(mapping);
      return;
    }
    mapping.allocation = sink_.emit_allocation(source, is_file ? Lane::kFile : Lane::kAnon,
                                               mapping.is_lazy ? 0 : mapping.bytes(), node,
                                               is_file ? mapping.file : 0);
    if (mapping.is_lazy)
      source.host->tables.pages.gone.add(range_of(mapping));
    if (mapping.is_bare)
      source.host->tables.bare.add(range_of(mapping));
    if (is_file && mapping.bytes() >= wire::kLargeTouch &&
        files_.may_have_tensors(trace::FileId{mapping.file}))
      origins_.was_mapped(mapping);
  } else if (mapping.kind == Mapping::Kind::kShared) {
    const auto allocation = shared_.allocation_of(mapping.object);
    if (!allocation) {
      source.host->tables.areas.explained(range_of(mapping));
      return;
    }
    mapping.allocation = *allocation;
  }
  source.host->tables.mappings.insert(mapping);
}

/// Releases what was counted of a mapping that is gone.
void MappingBook::release(const Source& source, const Mapping& mapping, PageStates& pages) {
  const std::uint64_t absent = pages.forget_absent(range_of(mapping));
  sink_.emit_release(source, mapping, mapping.bytes() - absent);
  if (mapping.written != Mapping::kNoAllocation)
    sink_.emit_release(source, mapping.written_part(), pages.written.remove(range_of(mapping)));
  if (mapping.kind == Mapping::Kind::kShared)
    shared_.end_unless_held(mapping.object);
}

/// Releases what is mapped in a range. @return what it was, in case the call fails.
std::vector<Mapping> MappingBook::take_away(const Source& source,
                                            std::uint64_t begin,
                                            std::uint64_t end) {
  sink_.settle_in(*source.host, {begin, end}, EventSink::As::kGone);
  pages_.note_going(*source.host, {begin, end});
  std::vector<Mapping> taken = source.host->tables.mappings.take(begin, end);
  for (const Mapping& mapping : taken) {
    source.host->tables.areas.goes(mapping);
    release(source, mapping, source.host->tables.pages);
  }
  return taken;
}

/// Memory right after bare memory belongs to it, since it is found piece by piece.
void MappingBook::open_bare(Host& host, const PageRange& range) {
  take_away({&host, host.first_thread()}, range.begin, range.end);
  MappingTable& mappings = host.tables.mappings;
  const Mapping* const below = mappings.find(range.begin - 1);
  Mapping opened{.begin = range.begin,
                 .end = range.end,
                 .kind = Mapping::Kind::kAnon,
                 .base = range.begin,
                 .is_lazy = true,
                 .is_bare = true,
                 .is_writable = true};
  if (below != nullptr && below->is_bare && below->kind == Mapping::Kind::kAnon) {
    for (Mapping piece : mappings.take(below->begin, below->end)) {
      piece.whole = opened.whole = false;
      opened.base = piece.base;
      opened.allocation = piece.allocation;
      mappings.insert(piece);
    }
  } else {
    trace::Event event;
    event.kind = EventKind::kAllocate;
    event.lane = Lane::kAnon;
    event.stack = host.tables.stacks.named_stack(trace::kBareMappingName);
    event.at_ns = sink_.now_ns();
    event.thread = host.first_thread();
    opened.allocation = sink_.emit_growth(host, event);
  }
  mappings.insert(opened);
  host.tables.pages.gone.add(range);
  host.tables.bare.add(range);
}

void MappingBook::end_bare_under(const Source& source, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = address / wire::kPageBytes * wire::kPageBytes;
  for (const Mapping& part : source.host->tables.mappings.in(begin, page_end(address, bytes))) {
    if (part.is_bare)
      take_away(source, part.begin, part.end);
  }
}

std::uint64_t MappingBook::release_missing(Host& host, const PageRange& range) {
  const Source source{&host, host.first_thread()};
  std::uint64_t bytes = 0;
  for (const Mapping& mapping : take_away(source, range.begin, range.end))
    bytes += mapping.holds_allocation() && !mapping.is_bare ? mapping.bytes() : 0;
  return bytes;
}

}  // namespace tidemark
