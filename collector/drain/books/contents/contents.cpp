#include "collector/drain/books/contents/contents.hpp"

#include <cstring>

namespace tidemark {

using trace::Event;
using trace::EventKind;

void ContentBook::see(Source& source, const wire::Copy& copy, const Behind& behind) {
  pages_.touch(source, copy.destination, copy.bytes);
  Event event;
  event.kind = EventKind::kCopy;
  event.size = copy.bytes;
  const BlockPlace to = place_at(*source.host, copy.destination);
  event.allocation = to.allocation;
  event.released = trace::kNoAllocation;
  if (std::uint64_t from = 0; behind.payload.size() >= sizeof from) {
    std::memcpy(&from, behind.payload.data(), sizeof from);
    event.released = place_at(*source.host, from).allocation;
    origins_.was_copied(*source.host, to, from, copy.bytes);
  } else {
    origins_.was_written(*source.host, to, copy.bytes);
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
  const BlockPlace to = place_at(*source.host, fill.destination);
  origins_.was_written(*source.host, to, fill.bytes);
  event.allocation = to.allocation;
  event.released = trace::kNoAllocation;
  if (event.allocation == trace::kNoAllocation)
    return;
  event.stack = source.host->tables.stacks.stack(fill.stack);
  sink_.emit(source, event);
}

}  // namespace tidemark
