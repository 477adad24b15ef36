/// Which records take pages away from a process.
#pragma once

#include "collector/drain/tables/page_ranges.hpp"
#include "collector/session/ring_reader.hpp"

#include <span>

namespace tidemark {

/// Adds to `taken` the whole pages that `records` unmap, map over, move or discard by madvise. The
/// records may be of any kind; their numbers are untrusted.
void add_taken_pages(std::span<const RawRecord> records, PageRanges& taken);

}  // namespace tidemark
