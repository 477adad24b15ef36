// The assembler's share of mappings: which bytes of address space come into a lane, and which go.

#include "collector/drain/assembler.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <linux/mman.h>
#include <sys/mman.h>

namespace tidemark {

using trace::EventKind;
using trace::Lane;
using wire::RecordKind;

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

void Assembler::add_mapping(Source& source, const RawRecord& record, Payload payload) {
  const std::uint64_t end = page_end(record.address, record.size);
  switch (record.kind) {
    case RecordKind::kMap:
      add_map(source, record, arguments_of(payload));
      break;
    case RecordKind::kUnmap:
      // The kernel refuses an address inside a page: nothing goes, and nothing will have to come
      // back.
      if (record.address % wire::kPageBytes == 0)
        take_away(source, record.address, end, true);
      else
        pending(source).unmapped.clear();
      break;
    case RecordKind::kUnmapFailed:
      for (Mapping& mapping : std::exchange(pending(source).unmapped, {})) {
        mapping.whole = true;
        open_range(source, mapping, wire::kNoNode);
      }
      break;
    case RecordKind::kRemapBegin:
      give_up(source, pending(source));
      pending(source).address = record.address;
      pending(source).moving = source.host->mappings.take(record.address, end);
      break;
    case RecordKind::kRemapEnd:
      end_remap(source, record, arguments_of(payload));
      break;
    case RecordKind::kRemapFailed:
      for (const Mapping& mapping : std::exchange(pending(source).moving, {}))
        put(source, mapping);
      [[fallthrough]];
    case RecordKind::kMapFailed: {
      trace::Event event;
      event.kind = EventKind::kFail;
      event.lane = arguments_of(payload).descriptor >= 0 ? Lane::kFile : Lane::kAnon;
      event.size = record.size;
      event.stack = source.host->stacks.stack(record.stack);
      emit(source, event);
      break;
    }
    case RecordKind::kProtect:
      protect(source, record);
      break;
    case RecordKind::kAdvise:
      emit_simple(source, EventKind::kAdvise, record.size, record.extra);
      break;
    case RecordKind::kBreak: {
      const std::uint64_t before = record.address;
      const std::uint64_t after = record.size;
      if (std::max(before, after) > kAddressEnd)
        break;
      if (after < before)
        take_away(source, after, before, false);
      else
        open_range(source, {.begin = before, .end = after, .kind = Mapping::Kind::kAnon},
                   record.stack);
      break;
    }
    default:
      break;
  }
}

/// Puts a stretch into the table, in the place of whatever is known there: with MAP_FIXED, or where
/// records are missing.
void Assembler::put(Source& source, const Mapping& mapping) {
  take_away(source, mapping.begin, mapping.end, false);
  source.host->mappings.insert(mapping);
}

/// The same, with an allocation of its own if it counts.
void Assembler::open_range(Source& source, const Mapping& wanted, std::uint32_t node) {
  Mapping mapping = wanted;
  take_away(source, mapping.begin, mapping.end, false);
  if (mapping.counts()) {
    const bool is_file = mapping.kind == Mapping::Kind::kFile;
    mapping.allocation = emit_allocation(source, is_file ? Lane::kFile : Lane::kAnon,
                                         mapping.bytes(), node, is_file ? mapping.file : 0);
  }
  source.host->mappings.insert(mapping);
}

void Assembler::add_map(Source& source,
                        const RawRecord& record,
                        const wire::MappingArguments& arguments) {
  Mapping mapping{.begin = record.address,
                  .end = page_end(record.address, record.size),
                  .kind = Mapping::Kind::kAnon};
  if (mapping.begin >= mapping.end)
    return;
  if (arguments.internal != 0 || backs_device(source, record.size)) {
    mapping.kind = Mapping::Kind::kInternal;
  } else if (arguments.descriptor >= 0) {
    const auto known =
        source.host->descriptors.find(static_cast<std::uint32_t>(arguments.descriptor));
    const trace::FileId id =
        known != source.host->descriptors.end() ? known->second : file("(not a regular file)", 0);
    mapping.kind = Mapping::Kind::kFile;
    mapping.file = trace::index(id);
    trace::File& facts = file_facts_[trace::index(id)];
    if ((arguments.protection & PROT_EXEC) != 0 && !facts.executable) {
      facts.executable = true;
      writer_.update_file(id, facts);
    }
  } else if (!is_accessible(arguments.protection)) {
    mapping.kind = Mapping::Kind::kReserved;
  }
  open_range(source, mapping, record.stack);
}

/// Releases what is mapped in a range. @param keep remember it, should the call turn out to fail.
void Assembler::take_away(Source& source, std::uint64_t begin, std::uint64_t end, bool keep) {
  std::vector<Mapping> taken = source.host->mappings.take(begin, end);
  for (const Mapping& mapping : taken)
    emit_release(source, mapping);
  if (keep)
    pending(source).unmapped = std::move(taken);
}

void Assembler::end_remap(Source& source,
                          const RawRecord& record,
                          const wire::MappingArguments& arguments) {
  PendingCall& call = pending(source);
  if (record.address >= kAddressEnd)
    give_up(source, call);
  const std::uint64_t old_begin = call.address;
  std::vector<Mapping> moved = std::exchange(call.moving, {});
  if (moved.empty())
    return;  // a mapping from before the recording
  const std::uint64_t begin = record.address;
  const std::uint64_t end = page_end(begin, record.size);
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
      emit_release(source, lost);
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
    open_range(source, grown, record.stack);
  }
  if ((arguments.flags & MREMAP_DONTUNMAP) != 0) {
    for (Mapping mapping : moved) {
      mapping.whole = true;
      if (mapping.kind != Mapping::Kind::kFile)
        open_range(source, mapping, record.stack);
    }
  }
}

void Assembler::protect(Source& source, const RawRecord& record) {
  const std::uint64_t end = page_end(record.address, record.size);
  for (Mapping mapping : source.host->mappings.take(record.address, end)) {
    const bool opens = is_accessible(record.extra) && mapping.kind == Mapping::Kind::kReserved;
    const bool closes = !is_accessible(record.extra) && mapping.kind == Mapping::Kind::kAnon;
    if (closes)
      emit_release(source, mapping);
    if (opens || closes) {
      mapping.kind = opens ? Mapping::Kind::kAnon : Mapping::Kind::kReserved;
      mapping.whole = true;
      open_range(source, mapping, record.stack);
    } else {
      source.host->mappings.insert(mapping);
    }
  }
}

}  // namespace tidemark
