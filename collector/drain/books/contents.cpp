#include "collector/drain/books/contents.hpp"

#include <cstring>

namespace tidemark {

using trace::Event;
using trace::EventKind;

trace::AllocationNumber allocation_at(const Host& host, std::uint64_t address) {
  // An allocator's own mappings hold heap blocks: those first.
  if (const auto block = host.tables.large.find(address))
    return *block;
  const Mapping* mapping = host.tables.mappings.find(address);
  return mapping != nullptr && mapping->holds_allocation() ? mapping->allocation
                                                           : trace::kNoAllocation;
}

void ContentBook::see(Source& source, const wire::Copy& copy, const Behind& behind) {
  pages_.touch(source, copy.destination, copy.bytes);
  Event event;
  event.kind = EventKind::kCopy;
  event.size = copy.bytes;
  event.allocation = allocation_at(*source.host, copy.destination);
  event.released = trace::kNoAllocation;
  if (std::uint64_t from = 0; behind.payload.size() >= sizeof from) {
    std::memcpy(&from, behind.payload.data(), sizeof from);
    event.released = allocation_at(*source.host, from);
  }
  if (event.allocation == trace::kNoAllocation && event.released == trace::kNoAllocation)
    return;
  event.stack = source.host->tables.stacks.stack(copy.stack);
  sink_.emit(source, event);
}

void ContentBook::see(Source& source, const wire::Fill& fill, const Behind&) {
  pages_.touch(source, fill.destination, fill.bytes);
  Event event;
  event.kind = EventKind::kFill;
  event.size = fill.bytes;
  event.allocation = allocation_at(*source.host, fill.destination);
  event.released = trace::kNoAllocation;
  if (event.allocation == trace::kNoAllocation)
    return;
  event.stack = source.host->tables.stacks.stack(fill.stack);
  sink_.emit(source, event);
}

}  // namespace tidemark
