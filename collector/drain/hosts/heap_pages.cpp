#include "collector/drain/hosts/heap_pages.hpp"

#include "collector/drain/tables/page_ranges.hpp"

#include <string_view>

namespace tidemark {
namespace {

/// PR_SET_VMA_ANON_NAME gives such memory names like `[anon:glibc: malloc]`.
bool may_be_of_heap(const MemoryArea& area) {
  const std::string_view name = area.name;
  return area.is_private && area.is_writable &&
         (name.empty() || name == "[heap]" || name.starts_with("[anon:"));
}

/// Memory that an allocator maps for its blocks is kInternal.
PageRanges not_mapped_by_program(const PageRange& area, const MappingTable& mappings) {
  PageRanges left;
  left.add(area);
  for (const Mapping& mapping : mappings.in(area.begin, area.end)) {
    if (mapping.kind != Mapping::Kind::kInternal)
      left.remove({mapping.begin, mapping.end});
  }
  return left;
}

}  // namespace

std::uint64_t resident_heap_bytes(std::span<const MemoryArea> areas,
                                  const AddressTable& heap,
                                  const MappingTable& mappings,
                                  const PageMap& pages) {
  std::uint64_t bytes = 0;
  for (const MemoryArea& area : areas) {
    if (!may_be_of_heap(area) || !heap.may_have_in(area.pages.begin, area.pages.end))
      continue;
    for (const PageRange& part : not_mapped_by_program(area.pages, mappings).all())
      bytes += pages.present_bytes(part.begin, part.end, PageMap::Which::kInMemory);
  }
  return bytes;
}

}  // namespace tidemark
