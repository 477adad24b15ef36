/// Finds an instant at which the footprint had a given height.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// The first within [from_ns, to_ns); what stood when the stretch began counts, too. Decodes the
/// blocks in which it may be. None where there is none, or a damaged block hides it.
std::optional<Instant> find_footprint(LoadedTrace& trace,
                                      std::uint64_t from_ns,
                                      std::uint64_t to_ns,
                                      std::uint64_t bytes);

}  // namespace tidemark::analyzer
