/// Who holds the peak, place by place, for a peak that no finding explains.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

class Places;

/// What one place of the program holds at the peak, through all its callers.
struct PeakGroup {
  std::string place;               ///< `grow (vec.hpp:9)`.
  std::vector<NamedFrame> frames;  ///< Its stack with most bytes, innermost first.
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t first_allocated_ns = 0;
  std::uint64_t last_allocated_ns = 0;
  std::uint64_t last_freed_ns = 0;  ///< 0: nothing was freed.
  std::uint64_t most_freed_ns = 0;  ///< When nine tenths of what was freed had gone.
  std::uint64_t end_blocks = 0;     ///< Never freed, except by the end of their process.
  std::uint64_t end_bytes = 0;      ///< The same in bytes.
  /// Bytes of the model that went into its large blocks; none: not known.
  std::optional<std::uint64_t> read_bytes{};
  std::optional<std::uint64_t> copied_bytes{};
  std::string values_held{};  ///< What is known by values alone (ValuesHeld::text), or empty.
  /// The highest footprint without everything that its stacks at the peak ever allocated.
  std::uint64_t peak_without_bytes = 0;
};

/// The three largest groups of all stacks at the peak; the second and third only if they have at
/// least a hundredth of it. Goes through all events once. Memory: a bit per allocation of theirs;
/// see also LiveBlocks.
/// @param asking of the same trace; may know its stacks from findings.
/// @param flow null if nothing looks like a model.
std::vector<PeakGroup> largest_groups(LoadedTrace& trace,
                                      const LoadFacts& load,
                                      Places& asking,
                                      const FlowIndex* flow);

}  // namespace tidemark::analyzer
