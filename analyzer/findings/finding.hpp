/// A finding about a peak: one reason for it, with its numbers.
#pragma once

#include "analyzer/query/live/load_without.hpp"
#include "analyzer/query/live/what_if.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

enum class FindingKind : std::uint8_t {
  kHeld,          ///< Filled from the model, copied out, and alive long after.
  kTwice,         ///< The same bytes of the model in two sets of blocks at the peak.
  kWrittenTwice,  ///< Written completely before the file was read into it.
  kGrown,         ///< A buffer that grew step by step: its room, or its old copies, at the peak.
  kShortLived,    ///< Blocks of short lives that made the peak.
  kKept,          ///< Freed, but not returned to the system.
  kMapped,        ///< Resident pages of a mapping: in RSS, not in the footprint.
  kBeforeLoad,    ///< Memory from before the model was opened.
  kImported,      ///< Memory of modules that were imported since.
  kWidened,       ///< Tensors with more bytes per element than in the file.
  kUntouched,     ///< Heap blocks with a part that was never in memory.
  kEarly,         ///< Heap blocks that were not used before the peak had passed.
  kPythonArenas,  ///< Small objects of Python, whose lines are not known.
  kRegions,       ///< Regions that an allocator or run-time system in the program fills itself.
  kParsed,        ///< A document of objects or arrays, freed once the model was made from it.
  kSmallBlocks,   ///< The model as small blocks, which take much more than the file.
  kProcesses,     ///< The model in the private memory of several processes.
  kCopyOnWrite,   ///< Pages of a mapped model that were written: private copies.
  kRefused,       ///< A refused request shortly before the program failed.
};

/// `held`, `twice`, ...: the name in JSON.
const char* finding_name(FindingKind kind);

/// Changes of a peak by less than this part of it are not worth a sentence.
constexpr std::uint64_t kWorthSayingPart = 20;

/// One reason for the peak, or something easily mistaken for one.
struct Finding {
  FindingKind kind = FindingKind::kHeld;
  std::string title{};     ///< A few words: `two copies of the weights`.
  std::string sentence{};  ///< Complete, with sizes, times and places; no line breaks.
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;  ///< When it can be seen: mostly at the peak.
  /// The highest footprint without it, recomputed over the whole trace. None if it does not change
  /// the footprint.
  std::optional<std::uint64_t> peak_without_bytes{};
  std::shared_ptr<const Savings> savings{};   ///< What that was computed with; null if it was not.
  std::optional<std::uint64_t> left_at_ns{};  ///< When that highest footprint is, if known.
  /// Or the stacks without whose allocations it was computed.
  std::vector<trace::StackId> stacks{};
  std::shared_ptr<const Removal> before{};  ///< And also without this; null: nothing.
  /// If it is about one of several copies, each made from another one: how many there are, and the
  /// peak with only the last of them.
  std::size_t copies = 0;
  std::optional<std::uint64_t> peak_with_one_bytes{};
  std::uint64_t inferred_blocks = 0;  ///< Blocks whose contents are inferred: see infer_parts.
  std::string remedy{"Without"};      ///< What it takes, as the words before the lower peak.
  std::string advice{};               ///< What helps, if not the advice of the kind.
  std::vector<NamedFrame> frames{};   ///< Frames of the blocks it is about, innermost first.
  /// Frames of the blocks of which most is taken away: of two copies, the one that goes. Empty: not
  /// known.
  std::vector<NamedFrame> taken_frames{};
  std::vector<std::size_t> nodes{};  ///< The chain's nodes that it is about, if any.

  /// Whether it knows what to take away.
  [[nodiscard]] bool can_be_removed() const { return savings != nullptr || !stacks.empty(); }
  /// Adds what to take away to `removal`.
  void remove_in(Removal& removal) const;
};

}  // namespace tidemark::analyzer
