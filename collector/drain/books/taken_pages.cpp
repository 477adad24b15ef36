#include "collector/drain/books/taken_pages.hpp"

#include "collector/drain/books/contents/page_book.hpp"
#include "collector/process/shared_segments.hpp"
#include "preload/wire/kinds.hpp"

#include <algorithm>
#include <cstdint>

#include <sys/mman.h>

namespace tidemark {
namespace {

PageRange pages_from(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = std::min(address, kAddressEnd);
  return {begin, wire::round_to_page(begin + std::min(bytes, kAddressEnd - begin))};
}

bool takes_pages(std::uint32_t advice) {
  return PageBook::how_given_back(advice).has_value() || advice == MADV_REMOVE ||
         advice == MADV_PAGEOUT;
}

/// The range from which `record` removes pages; empty: none.
PageRange taken_by(const RawRecord& record) {
  switch (record.kind) {
    case wire::RecordKind::kMap:
    case wire::RecordKind::kUnmap:
    case wire::RecordKind::kRemapBegin:
    case wire::RecordKind::kRemapEnd:
      return pages_from(record.address, record.size);
    case wire::RecordKind::kAdvise:
      return takes_pages(wire::Advise::decode(record.words()).advice)
                 ? pages_from(record.address, record.size)
                 : PageRange{};
    case wire::RecordKind::kAttach: {
      const auto segment = find_segment(
          name_segment(0, static_cast<int>(wire::Attach::decode(record.words()).segment)));
      return segment ? pages_from(record.address, segment->bytes) : PageRange{};
    }
    case wire::RecordKind::kBreak: {
      const auto moved = wire::Break::decode(record.words());
      return pages_from(moved.after, moved.before - std::min(moved.before, moved.after));
    }
    default:
      return {};
  }
}

}  // namespace

void add_taken_pages(std::span<const RawRecord> records, PageRanges& taken) {
  for (const RawRecord& record : records) {
    if (const PageRange range = taken_by(record); range.begin < range.end)
      taken.add(range);
  }
}

}  // namespace tidemark
