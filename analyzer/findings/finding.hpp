/// What is said about a peak: one reason for it, with its numbers.
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
  kWrittenTwice,  ///< Written whole before the file was read into it.
  kGrown,         ///< A buffer that grew step by step, and its room or its old copies at the peak.
  kShortLived,    ///< Blocks of short lives that made the peak.
  kKept,          ///< Freed, but not returned to the system.
  kMapped,        ///< Resident pages of a mapping: in RSS, not in the footprint.
  kBeforeLoad,    ///< What stood before the model was opened.
  kImported,      ///< What came with modules that were imported since.
  kWidened,       ///< Tensors with more bytes an element than the file has.
  kUntouched,     ///< Heap blocks of which a part was never in memory.
  kEarly,         ///< Heap blocks that were not used before the peak had passed.
  kPythonArenas,  ///< Small objects of Python, whose lines are not known.
  kRegions,       ///< What an allocator or a run-time system inside the program fills itself.
  kParsed,        ///< A document of objects or arrays that was gone when the model was made of it.
  kSmallBlocks,   ///< The model as small blocks, which take much more than the file.
  kProcesses,     ///< The model in the private memory of several processes.
  kCopyOnWrite,   ///< Pages of a mapped model that were written: private copies.
  kRefused,       ///< A refused request shortly before the program failed.
};

/// `held`, `twice`, ...: as it stands in JSON.
const char* finding_name(FindingKind kind);

/// What changes a peak by less than this part of it is not worth a sentence.
constexpr std::uint64_t kWorthSayingPart = 20;

/// One reason for the peak, or one thing that is easily mistaken for one.
struct Finding {
  FindingKind kind = FindingKind::kHeld;
  std::string title{};     ///< A few words: `two copies of the weights`.
  std::string sentence{};  ///< Complete, with sizes, times and places; no line breaks.
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;  ///< When it can be seen: mostly the peak.
  /// The highest footprint without it, computed anew over the whole trace. None for what does not
  /// change the footprint.
  std::optional<std::uint64_t> peak_without_bytes{};
  std::shared_ptr<const Savings> savings{};   ///< What it was computed with; null without it.
  std::optional<std::uint64_t> left_at_ns{};  ///< When so much is left then, where that is known.
  std::vector<trace::StackId> stacks{};       ///< Or with all gone that these ever allocated.
  std::shared_ptr<const Removal> before{};    ///< And with that gone, in turn; null: nothing.
  /// Where it is about one of several copies, each of which was made from another one: how many
  /// they are, and the same with the last of them alone.
  std::size_t copies = 0;
  std::optional<std::uint64_t> peak_with_one_bytes{};
  std::uint64_t inferred_blocks = 0;  ///< Of those, what they hold was not seen: see infer_parts.
  std::string remedy{"Without"};      ///< What that would take, as the words in front of it.
  std::string advice{};               ///< What helps, where it is not what helps the kind.
  std::vector<NamedFrame> frames{};   ///< Of the blocks it is about, innermost first.
  std::vector<std::size_t> nodes{};   ///< Of the chain, where it is about some.

  /// Whether it says what would have to go.
  [[nodiscard]] bool can_be_removed() const { return savings != nullptr || !stacks.empty(); }
  /// Adds that to `removal`.
  void remove_in(Removal& removal) const;
};

}  // namespace tidemark::analyzer
