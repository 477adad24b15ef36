#include "collector/drain/books/mapping_book.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <linux/mman.h>
#include <sys/mman.h>

namespace tidemark {

using trace::EventKind;
using trace::Lane;

namespace {

/// User addresses end here (five-level paging). What a host says of anything above is not true, and
/// sums below it cannot wrap.
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 56;

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

}  // namespace

void MappingBook::see(Source& source, const wire::Map& map, const Behind& behind) {
  const wire::MappingArguments arguments = arguments_of(behind.payload);
  Mapping mapping{
      .begin = map.address, .end = page_end(map.address, map.bytes), .kind = Mapping::Kind::kAnon};
  if (mapping.begin >= mapping.end)
    return;
  if (arguments.internal != 0 || source.backs_device(map.bytes)) {
    mapping.kind = Mapping::Kind::kInternal;
  } else if (arguments.descriptor >= 0) {
    const trace::FileId file =
        files_.mapped_file(*source.host, static_cast<std::uint32_t>(arguments.descriptor));
    mapping.kind = Mapping::Kind::kFile;
    mapping.file = trace::index(file);
    files_.note_use(file, mapping.bytes());
    if ((arguments.protection & PROT_EXEC) != 0)
      files_.note_executable(file);
  } else if (!is_accessible(arguments.protection)) {
    mapping.kind = Mapping::Kind::kReserved;
  }
  open_range(source, mapping, map.stack);
}

void MappingBook::see(Source& source, const wire::MapFailed& failure, const Behind& behind) {
  const Lane lane = arguments_of(behind.payload).descriptor >= 0 ? Lane::kFile : Lane::kAnon;
  sink_.emit_failure(source, lane, failure.bytes, failure.stack);
}

void MappingBook::see(Source& source, const wire::Unmap& unmap, const Behind&) {
  // The kernel refuses an address inside a page: nothing goes, and nothing will have to come back.
  if (unmap.address % wire::kPageBytes == 0)
    take_away(source, unmap.address, page_end(unmap.address, unmap.bytes), true);
  else
    source.pending().unmapped.clear();
}

void MappingBook::see(Source& source, const wire::UnmapFailed&, const Behind&) {
  for (Mapping& mapping : std::exchange(source.pending().unmapped, {})) {
    mapping.whole = true;
    open_range(source, mapping, wire::kNoNode);
  }
}

void MappingBook::see(Source& source, const wire::RemapBegin& begin, const Behind&) {
  PendingCall& call = source.pending();
  sink_.give_up(source, call);
  call.address = begin.address;
  call.moving = source.host->mappings.take(begin.address, page_end(begin.address, begin.bytes));
}

void MappingBook::see(Source& source, const wire::RemapEnd& end_of_call, const Behind& behind) {
  const wire::MappingArguments arguments = arguments_of(behind.payload);
  PendingCall& call = source.pending();
  if (end_of_call.address >= kAddressEnd)
    sink_.give_up(source, call);
  const std::uint64_t old_begin = call.address;
  std::vector<Mapping> moved = std::exchange(call.moving, {});
  if (moved.empty())
    return;  // a mapping from before the recording
  const std::uint64_t begin = end_of_call.address;
  const std::uint64_t end = page_end(begin, end_of_call.bytes);
  take_away(source, begin, end, false);
  std::uint64_t filled = begin;
  for (Mapping mapping : moved) {
    const std::uint64_t old_bytes = mapping.bytes();
    mapping.begin = begin + (mapping.begin - old_begin);
    mapping.end = std::min(mapping.begin + old_bytes, end);
    // What does not fit into the new length is gone.
    const std::uint64_t kept = mapping.begin < mapping.end ? mapping.end - mapping.begin : 0;
    if (kept < old_bytes) {
      Mapping lost = mapping;
      lost.whole = mapping.whole && kept == 0;
      lost.end = lost.begin + (old_bytes - kept);
      sink_.emit_release(source, lost);
      mapping.whole = false;
    }
    if (kept != 0)
      source.host->mappings.insert(mapping);
    filled = std::max(filled, mapping.begin + kept);
  }
  if (filled < end) {
    Mapping grown = moved.back();
    grown.begin = filled;
    grown.end = end;
    grown.whole = true;
    open_range(source, grown, end_of_call.stack);
  }
  if ((arguments.flags & MREMAP_DONTUNMAP) != 0) {
    for (Mapping mapping : moved) {
      mapping.whole = true;
      if (mapping.kind != Mapping::Kind::kFile)
        open_range(source, mapping, end_of_call.stack);
    }
  }
}

void MappingBook::see(Source& source, const wire::RemapFailed& failure, const Behind& behind) {
  for (const Mapping& mapping : std::exchange(source.pending().moving, {}))
    put(source, mapping);
  const Lane lane = arguments_of(behind.payload).descriptor >= 0 ? Lane::kFile : Lane::kAnon;
  sink_.emit_failure(source, lane, failure.bytes, failure.stack);
}

void MappingBook::see(Source& source, const wire::Advise& advice, const Behind&) {
  sink_.emit_simple(source, EventKind::kAdvise, advice.bytes, advice.advice);
}

void MappingBook::see(Source& source, const wire::Break& moved, const Behind&) {
  if (std::max(moved.before, moved.after) > kAddressEnd)
    return;
  if (moved.after < moved.before)
    take_away(source, moved.after, moved.before, false);
  else
    open_range(source, {.begin = moved.before, .end = moved.after, .kind = Mapping::Kind::kAnon},
               moved.stack);
}

void MappingBook::see(Source& source, const wire::Protect& protect, const Behind&) {
  const std::uint64_t end = page_end(protect.address, protect.bytes);
  for (Mapping mapping : source.host->mappings.take(protect.address, end)) {
    const bool opens =
        is_accessible(protect.protection) && mapping.kind == Mapping::Kind::kReserved;
    const bool closes = !is_accessible(protect.protection) && mapping.kind == Mapping::Kind::kAnon;
    if (closes)
      sink_.emit_release(source, mapping);
    if (opens || closes) {
      mapping.kind = opens ? Mapping::Kind::kAnon : Mapping::Kind::kReserved;
      mapping.whole = true;
      open_range(source, mapping, protect.stack);
    } else {
      source.host->mappings.insert(mapping);
    }
  }
}

/// Puts a stretch into the table, in the place of whatever is known there: with MAP_FIXED, or where
/// records are missing.
void MappingBook::put(const Source& source, const Mapping& mapping) {
  take_away(source, mapping.begin, mapping.end, false);
  source.host->mappings.insert(mapping);
}

/// The same, with an allocation of its own if it counts.
void MappingBook::open_range(const Source& source, const Mapping& wanted, std::uint32_t node) {
  Mapping mapping = wanted;
  take_away(source, mapping.begin, mapping.end, false);
  if (mapping.counts()) {
    const bool is_file = mapping.kind == Mapping::Kind::kFile;
    mapping.allocation = sink_.emit_allocation(source, is_file ? Lane::kFile : Lane::kAnon,
                                               mapping.bytes(), node, is_file ? mapping.file : 0);
  }
  source.host->mappings.insert(mapping);
}

/// Releases what is mapped in a range. @param keep remember it, should the call turn out to fail.
void MappingBook::take_away(const Source& source,
                            std::uint64_t begin,
                            std::uint64_t end,
                            bool keep) {
  std::vector<Mapping> taken = source.host->mappings.take(begin, end);
  for (const Mapping& mapping : taken)
    sink_.emit_release(source, mapping);
  if (keep)
    source.pending().unmapped = std::move(taken);
}

}  // namespace tidemark
