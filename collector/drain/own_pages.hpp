/// How much of a host's private memory is tidemark's own.
#pragma once

#include "collector/process/page_map.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <optional>

namespace tidemark {

/// Bytes, in memory or in swap, of tidemark's mappings in the process of a slot: tables that a host
/// touches as needed, a fifth to a half of what is mapped. With very many threads only a sample of
/// their tables is looked at.
/// @return empty if the pages may not be looked at, or nothing of ours was found.
std::optional<std::uint64_t> own_pages(const wire::SessionMap& session,
                                       std::uint32_t slot,
                                       const PageMap& pages);

}  // namespace tidemark
