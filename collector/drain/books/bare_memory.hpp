/// Anonymous memory without a record: mapped by the `syscall` instruction itself, as by runtimes
/// that make their own system calls.
#pragma once

#include "collector/drain/hosts/host.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/process/memory_areas.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <vector>

namespace tidemark {

/// Smaller pieces are ignored.
constexpr std::uint64_t kWorthABareMapping = std::uint64_t{4} << 20U;

/// The parts of `areas` that seem to be such memory at this look; a record may still be in flight.
/// Empty as long as the host's lanes account for what is resident.
///
/// Most memory without a record was not mapped by the program, and is excluded: where heap blocks
/// are or were (their allocator may keep it), thread stacks (above a small guard area), zeroed data
/// of programs and libraries, tidemark's own.
///
/// @param host gets the ends of files that it does not know yet (HostTables::module_ends).
/// @param areas all current areas of the host.
PageRanges find_bare_memory(Host& host,
                            const wire::SessionMap& session,
                            const std::vector<MemoryArea>& areas);
/// The same for memory that the program wrote to according to a record, however little of it is
/// resident. A record of its mapping would have come before that one, so none is in flight. For the
/// rest of the area there may be one: that is left to the looks.
/// @param written need not be page-aligned.
PageRanges find_bare_memory_at(const PageRange& written,
                               Host& host,
                               const wire::SessionMap& session,
                               const std::vector<MemoryArea>& areas);

}  // namespace tidemark
