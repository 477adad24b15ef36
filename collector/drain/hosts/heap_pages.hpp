/// Resident size of the memory that holds a host's heap.
#pragma once

#include "collector/drain/tables/address_table.hpp"
#include "collector/drain/tables/mapping_table.hpp"
#include "collector/process/memory_areas.hpp"
#include "collector/process/page_map.hpp"

#include <cstdint>
#include <span>

namespace tidemark {

/// Resident bytes of the private anonymous areas in which a live block begins: what an allocator
/// (libc's or the program's own) has taken from the system. Excludes what the program itself mapped
/// there.
std::uint64_t resident_heap_bytes(std::span<const MemoryArea> areas,
                                  const AddressTable& heap,
                                  const MappingTable& mappings,
                                  const PageMap& pages);

}  // namespace tidemark
