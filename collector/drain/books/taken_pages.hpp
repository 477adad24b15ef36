/// Which records take pages away from a process.
#pragma once

#include "collector/drain/tables/page_ranges.hpp"
#include "collector/session/ring_reader.hpp"

#include <span>

namespace tidemark {

/// Adds to `taken` what `records` unmap, map over, move away or advise away, whole pages of it. The
/// records may be a host's of any kind and with any numbers.
void add_taken_pages(std::span<const RawRecord> records, PageRanges& taken);

}  // namespace tidemark
