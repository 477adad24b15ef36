/// What tidemark itself has of a host's private memory.
#pragma once

#include "collector/process/page_map.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <optional>

namespace tidemark {

/// Bytes in memory or in swap of what tidemark maps in the process of a slot: tables that a host
/// touches as it needs them, a fifth to a half of what is mapped. Of a crowd of threads some are
/// looked at, and stand for all.
/// @return empty where the pages may not be looked at, or where nothing of ours was found.
std::optional<std::uint64_t> own_pages(const wire::SessionMap& session,
                                       std::uint32_t slot,
                                       const PageMap& pages);

}  // namespace tidemark
