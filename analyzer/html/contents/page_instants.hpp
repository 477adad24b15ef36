/// The live sets stored in a page.
#pragma once

#include "analyzer/html/contents/folding.hpp"
#include "analyzer/html/contents/instants.hpp"
#include "analyzer/report/parts/json_document.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::html {

using analyzer::Json;

/// The live set of one instant, folded.
struct PageInstant {
  StoredInstant stored;
  trace::LaneTotals totals;
  std::int64_t unattributed_bytes = 0;  ///< The footprint less all stacks; 0 in an intact trace.
  std::vector<FoldedStack> stacks;
  std::size_t stack_count = 0;  ///< As the report counts them: those that read the same are one.
  FoldLimits limits;
  /// For the peak, by row: when its blocks came and went, and who asked for them; in further lines,
  /// what was read and copied into them and out of them.
  std::vector<std::string> lives{};
  /// For the peak: the largest block alive. Its lines are like those of `lives`, with the tensors
  /// in it.
  struct LargestBlock {
    std::uint64_t bytes = 0;
    std::uint32_t row = 0;
    std::vector<std::string> lines;
  };
  std::optional<LargestBlock> largest{};
  /// For any other instant: the differences from the peak.
  struct BesidePeak {
    std::vector<std::uint64_t> at_peak;  ///< By row, from 1 on: what its stacks held at the peak.
    /// Rows of the peak that have none here, and what they hold here.
    std::vector<std::uint32_t> missing_rows;
    std::vector<std::uint64_t> missing_held;
    /// Rows that hold less at both instants are left out.
    std::uint64_t least_bytes = 0;
  };
  BesidePeak beside_peak{};
  /// For the peak: bytes of heap blocks that no look so far found in memory; none if no block was
  /// looked at.
  std::optional<std::uint64_t> untouched_bytes{};
  /// For the peak: bytes of heap blocks that came at that very instant, without these.
  std::uint64_t just_asked_bytes = 0;
};

/// How many entries the live set of an instant may have: a page stays small whatever the load.
struct InstantRoom {
  std::size_t at_peak = 0;
  std::size_t elsewhere = 0;
};

/// Live sets of the instants of `choose_instants`, in their order. `stacks` must be of `trace`.
/// @param with_rows also computes what `add_rows` needs, with one more pass over all events.
std::vector<PageInstant> page_instants(analyzer::LoadedTrace& trace,
                                       const analyzer::Report& report,
                                       TraceStacks& stacks,
                                       const StackForest& forest,
                                       const InstantRoom& room,
                                       bool with_rows);

/// {heap, anon, file, device, shared}, in bytes.
Json lanes_document(const trace::LaneTotals& lanes);

Json instant_document(const PageInstant& instant);

/// Adds what only the page of a single load shows of an instant: its rows.
void add_rows(const PageInstant& instant, Json& document);

}  // namespace tidemark::html
