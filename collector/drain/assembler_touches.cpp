// The assembler's share of contents: which blocks the bytes of reads, copies and fills went into,
// and where they came from.

#include "collector/drain/assembler.hpp"

#include <cstring>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using wire::RecordKind;

/// A large heap block, a mapping that counts, or kNoAllocation.
std::uint64_t Assembler::allocation_at(const Host& host, std::uint64_t address) {
  // An allocator's own mappings hold heap blocks: those first.
  if (const auto block = host.large.find(address))
    return *block;
  const Mapping* mapping = host.mappings.find(address);
  return mapping != nullptr && mapping->counts() ? mapping->allocation : trace::kNoAllocation;
}

/// Nothing is said of bytes that stay among unknown places.
void Assembler::add_touch(Source& source, const RawRecord& record, Payload payload) {
  Event event;
  event.kind = record.kind == RecordKind::kCopy ? EventKind::kCopy : EventKind::kFill;
  event.size = record.size;
  event.allocation = allocation_at(*source.host, record.address);
  event.released = trace::kNoAllocation;
  if (event.kind == EventKind::kCopy && payload.size() >= sizeof(std::uint64_t)) {
    std::uint64_t from = 0;
    std::memcpy(&from, payload.data(), sizeof from);
    event.released = allocation_at(*source.host, from);
  }
  if (event.allocation == trace::kNoAllocation && event.released == trace::kNoAllocation)
    return;
  event.stack = source.host->stacks.stack(record.stack);
  emit(source, event);
}

void Assembler::add_read(Source& source, const RawRecord& record, trace::FileId file) {
  const std::uint64_t bytes = wire::bytes_of_read(record.size);
  emit_simple(source, EventKind::kRead, bytes, trace::index(file), record.stack);
  Event event;
  event.kind = EventKind::kReadInto;
  event.size = bytes;
  event.allocation = allocation_at(*source.host, record.address);
  if (event.allocation == trace::kNoAllocation)
    return;
  event.extra = wire::resident_share_of_read(record.size);
  event.stack = source.host->stacks.stack(record.stack);
  emit(source, event);
}

}  // namespace tidemark
