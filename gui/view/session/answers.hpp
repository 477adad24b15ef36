/// The questions that the window asks about a trace, and the answers.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/report/facts/report.hpp"
#include "gui/view/activity/activity.hpp"
#include "gui/view/blocks/block_list.hpp"
#include "gui/view/blocks/block_story.hpp"
#include "gui/view/blocks/tensor_holders.hpp"
#include "gui/view/session/allocation_usage.hpp"
#include "gui/view/timeline/column_set.hpp"
#include "gui/view/trees/call_tree.hpp"
#include "gui/view/trees/folded_tree.hpp"
#include "gui/view/trees/function_bytes.hpp"
#include "gui/view/trees/named_stacks.hpp"
#include "gui/view/trees/range_use.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// The exact columns of a range.
struct ColumnQuestion {
  ColumnSet wanted;                    ///< Without columns.
  std::vector<std::uint64_t> borders;  ///< See borders_of.
};

/// The time that a question is about. An instant asks for the live set then, a range for what was
/// allocated in it.
struct Moment {
  std::optional<std::uint64_t> begin_ns;  ///< None: an instant.
  std::optional<std::uint64_t> end_ns;    ///< None: the peak.

  [[nodiscard]] bool is_range() const { return begin_ns.has_value(); }
  bool operator==(const Moment&) const = default;
};

/// Who holds memory at an instant, or allocated it in a range.
struct Holders {
  Moment moment;
  std::uint64_t at_ns = 0;              ///< The instant, or the range's end.
  trace::LaneTotals totals;             ///< At that time.
  trace::LaneTotals begin_totals;       ///< For a range: right before it.
  EndedUse ended;                       ///< For a range.
  std::int64_t unattributed_bytes = 0;  ///< Footprint without a stack; 0 in an intact trace.
  NamedStacks stacks;
  std::array<CallTree, kTreeOrders> trees;  ///< By TreeOrder.

  [[nodiscard]] const CallTree& tree(TreeOrder order) const {
    return trees[static_cast<std::size_t>(order)];
  }
};

/// The holders' trees with recursion folded; null where that order was not asked for.
struct FoldedHolders {
  std::shared_ptr<const Holders> holders;  ///< The holders that were folded.
  std::array<std::shared_ptr<const FoldedTree>, kTreeOrders> trees{};  ///< By TreeOrder.
};

/// How much memory is held through each function.
struct HeldBytes {
  std::shared_ptr<const Holders> holders;  ///< The holders that it is computed from.
  std::shared_ptr<const FunctionBytes> functions;
  std::vector<std::uint64_t> bytes;  ///< By function: see FunctionBytes::held.
};

/// Asks which blocks make up the layers of the timeline, by function or by module.
struct LayerBlocksQuestion {
  std::size_t side = 0;  ///< Index of the trace among those layered.
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers;  ///< Never null.
  /// Asks for the blocks alive when the footprint first reaches `footprint` in [begin_ns, end_ns).
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t footprint = 0;  ///< Bytes.

  bool operator==(const LayerBlocksQuestion&) const = default;
};

/// Texts about the blocks of each layer: how many there are, when they came and went, what came
/// into them and went out.
struct LayerBlocks {
  LayerBlocksQuestion question;
  std::vector<std::vector<std::string>> lines;  ///< By layer; no lines: it holds nothing then.
};

/// Facts about the whole trace. `subject.trace` is null.
struct TraceFacts {
  analyzer::Report report;
  picture::Subject subject;
};

/// What can be asked, in order of priority.
enum class Question : std::uint8_t {
  kFacts,
  kColumns,
  kHolders,
  kHeld,
  kFolded,
  kStory,
  kLayerBlocks,
  kTensors,
  kActivity,
  kUsage,
  kBlocks,
};
constexpr std::size_t kQuestions = 11;
/// By Question.
using Questions = std::bitset<kQuestions>;

/// Answers that have come since they were last taken. Null or none: nothing new. Shared objects
/// never change.
struct Answers {
  std::shared_ptr<const TraceFacts> facts;
  std::optional<ColumnSet> columns;
  std::shared_ptr<const Holders> holders;
  std::shared_ptr<const HeldBytes> held;
  std::shared_ptr<const FoldedHolders> folded;
  std::shared_ptr<const BlockList> blocks;
  std::shared_ptr<const Activity> activity;
  std::shared_ptr<const BlockStory> story;
  std::shared_ptr<const LayerBlocks> layer_blocks;
  std::shared_ptr<const TensorHolders> tensors;
  std::shared_ptr<const AllocationUsage> usage;
  std::string error;           ///< One sentence: what could not be read.
  bool is_unreadable = false;  ///< It was the trace: no question is answered any more.
};

}  // namespace tidemark::gui
