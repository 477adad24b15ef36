/// What a trace should say, computed the slow and obvious way.
#pragma once

#include "tests/collector/trace/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::trace::tests {

/// Records `count` events of all kinds from two threads, with a flush now and then.
/// @return The ordinals at which a block was begun by a flush.
std::vector<std::size_t> record_at_random(Recording& recording,
                                          std::uint32_t seed,
                                          std::size_t count);

/// One summary for each span between two flushes.
std::vector<BlockSummary> plain_summaries(const std::vector<Event>& events,
                                          const std::vector<std::size_t>& flushed_at);

std::vector<std::string> texts_of(const std::vector<BlockSummary>& summaries);

}  // namespace tidemark::trace::tests
