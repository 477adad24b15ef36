/// Infers where in a file the contents of blocks begin that were not looked into, if the others of
/// their row were seen to hold parts of it, one behind the other.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::analyzer {

/// A block of the peak, and where in a file that begins which it was seen to hold, if it was.
struct SeenInRow {
  std::uint32_t life = 0;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> begin{};
  std::uint64_t at_ns = 0;  ///< When that was seen.
};

/// What a block holds that was not looked into.
struct InferredInRow {
  std::uint32_t life = 0;
  std::uint64_t begin = 0;  ///< In the file.
  std::uint64_t end = 0;
  std::uint64_t at_ns = 0;
};

/// A row is the blocks of one size and one place (StackKeys) in the order of their allocation.
/// Conditions: four of it at least were seen, and half of those with most of their part in the
/// file; nine tenths of those that were seen are as far behind the one before in the file, to an
/// eighth, as their ranks say; and for every nine of these, at most one was looked into after a
/// later one had been filled, and held something else.
/// @param blocks that have a place (has_place), all of one form.
/// @param file_bytes where the contents end.
std::vector<InferredInRow> infer_in_rows(const trace::Definitions& definitions,
                                         const FlowIndex& flow,
                                         const std::vector<SeenInRow>& blocks,
                                         std::uint64_t file_bytes);

}  // namespace tidemark::analyzer
