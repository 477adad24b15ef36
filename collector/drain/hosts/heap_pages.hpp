/// What is resident of the memory that a host's heap blocks lie in.
#pragma once

#include "collector/drain/tables/address_table.hpp"
#include "collector/drain/tables/mapping_table.hpp"
#include "collector/process/memory_areas.hpp"
#include "collector/process/page_map.hpp"

#include <cstdint>
#include <span>

namespace tidemark {

/// Resident bytes of the private anonymous areas in which a live block begins: what an allocator
/// has taken from the system, libc's own as well as one that the program brings. Without what the
/// program has mapped there for itself.
std::uint64_t resident_heap_bytes(std::span<const MemoryArea> areas,
                                  const AddressTable& heap,
                                  const MappingTable& mappings,
                                  const PageMap& pages);

}  // namespace tidemark
