/// Finds an instant at which the footprint had a given height.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// The first one in [from_ns, to_ns), including the value at the begin of that range. Decodes the
/// blocks in which it may be. None if there is none, or a damaged block hides it.
std::optional<Instant> find_footprint(LoadedTrace& trace,
                                      std::uint64_t from_ns,
                                      std::uint64_t to_ns,
                                      std::uint64_t bytes);

}  // namespace tidemark::analyzer
