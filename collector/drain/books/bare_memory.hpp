/// Anonymous memory that no record tells of: its mapping was made by the `syscall` instruction
/// itself, as runtimes do that bring their own system calls.
#pragma once

#include "collector/drain/hosts/host.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/process/memory_areas.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <vector>

namespace tidemark {

/// Less in one piece is not worth a word.
constexpr std::uint64_t kWorthABareMapping = std::uint64_t{4} << 20U;

/// What of `areas` is such memory, as far as this look can tell; a record may still be on its way.
/// None as long as the lanes of the host account for what is resident.
///
/// Most memory without a record is not mapped by the program, and nothing is said of it: where heap
/// blocks are or have been (their allocator may hold it for the next ones), stacks of threads (they
/// stand above a small guard), zeroed data of programs and libraries, tidemark's own.
///
/// @param areas all of the host's, of this moment.
PageRanges find_bare_memory(const Host& host,
                            const wire::SessionMap& session,
                            const std::vector<MemoryArea>& areas);
/// The same of what a record has just said that the program wrote to, whatever of it is resident so
/// far. No record of its mapping can come any more, as it would have come first. Of what lies
/// beside it in the same area there may be one: that is left to the looks.
/// @param written any bytes.
PageRanges find_bare_memory_at(const PageRange& written,
                               const Host& host,
                               const wire::SessionMap& session,
                               const std::vector<MemoryArea>& areas);

}  // namespace tidemark
