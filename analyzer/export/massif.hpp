/// Valgrind massif's output file, for ms_print and massif-visualizer.
#pragma once

#include "analyzer/export/curves/time_span.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::exports {

/// Up to a hundred snapshots of the footprint (`mem_heap_B`), each at the highest instant of its
/// stretch of time: so the highest one is the exact peak, and is marked as such. The peak, a few
/// others and the one at `at_ns` carry the tree of who asked. Times are milliseconds with decimals.
std::string massif_text(analyzer::LoadedTrace& trace,
                        const TimeSpan& span,
                        std::optional<std::uint64_t> at_ns);

}  // namespace tidemark::exports
