#include "collector/drain/books/contents/contents.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tidemark {

using trace::Event;
using trace::EventKind;

void ContentBook::see(Source& source, const wire::Copy& copy, const Behind& behind) {
  pages_.touch(source, copy.destination, copy.bytes);
  std::optional<std::uint64_t> from;
  if (std::uint64_t said = 0; behind.payload.size() >= sizeof said) {
    std::memcpy(&said, behind.payload.data(), sizeof said);
    from = said;
  }
  const Host& host = *source.host;
  std::uint64_t done = 0;
  for (std::size_t parts = 0; done < copy.bytes && parts < kMaxPartsOfRange; ++parts) {
    const std::uint64_t left = copy.bytes - done;
    const PlacedBytes to = part_at(host, copy.destination + done, left);
    const PlacedBytes of = from ? part_at(host, *from + done, left) : PlacedBytes{{}, left};
    const std::uint64_t bytes = std::min(to.bytes, of.bytes);
    if (from)
      origins_.was_copied(*source.host, to.place, *from + done, bytes);
    else
      OriginBook::was_written(*source.host, to.place, bytes);
    tell(source, EventKind::kCopy, bytes, {to.place.allocation, of.place.allocation}, copy.stack);
    done += bytes;
  }
}

void ContentBook::see(Source& source, const wire::Fill& fill, const Behind&) {
  pages_.touch(source, fill.destination, fill.bytes);
  std::uint64_t done = 0;
  for (std::size_t parts = 0; done < fill.bytes && parts < kMaxPartsOfRange; ++parts) {
    const PlacedBytes to = part_at(*source.host, fill.destination + done, fill.bytes - done);
    OriginBook::was_written(*source.host, to.place, to.bytes);
    tell(source, EventKind::kFill, to.bytes, {to.place.allocation}, fill.stack);
    done += to.bytes;
  }
}

void ContentBook::tell(Source& source,
                       EventKind kind,
                       std::uint64_t bytes,
                       const Blocks& blocks,
                       std::uint32_t stack) {
  if (blocks.to == trace::kNoAllocation && blocks.from == trace::kNoAllocation)
    return;
  Event event;
  event.kind = kind;
  event.size = bytes;
  event.allocation = blocks.to;
  event.released = blocks.from;
  event.stack = source.host->tables.stacks.stack(stack);
  sink_.emit(source, event);
}

}  // namespace tidemark
