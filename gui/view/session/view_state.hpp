/// What a person has chosen to see: enough to show the same picture again.
#pragma once

#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/picture/alignment.hpp"
#include "analyzer/usage/usage.hpp"
#include "collector/trace/types/result.hpp"
#include "gui/view/basics/view_range.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::gui {

enum class Pane : std::uint8_t {
  kHolders,
  kDifference,
  kBlocks,
  kActivity,
  kFindings,
  kUsage,
  kPages
};
constexpr std::size_t kPanes = 7;
/// As saved views and the command line name them, in the order of the enumerators.
constexpr std::array<std::string_view, kPanes> kPaneWords{
    "holders", "difference", "blocks", "activity", "findings", "usage", "pages"};
/// Something that a person takes away, to see what the peak would be without it.
struct Unticked {
  enum class Kind : std::uint8_t { kFinding, kStacks, kBlock };

  Kind kind = Kind::kFinding;
  std::size_t side = 0;  ///< Of two traces: whose it is.
  /// Of a finding its place in the report; of a block that of its first allocation.
  std::uint64_t number = 0;
  std::vector<std::uint32_t> stacks{};   ///< Of kStacks, by StackId: in order.
  std::vector<std::uint64_t> resized{};  ///< Of kBlock: what else it was, see BlockStory::chain.
  std::string text{};                    ///< What it is, in words.
  std::uint64_t bytes = 0;               ///< At the instant at which it was unticked.

  /// Words and bytes apart.
  [[nodiscard]] bool is_same(const Unticked& other) const {
    return kind == other.kind && side == other.side && number == other.number &&
           stacks == other.stacks;
  }
  bool operator==(const Unticked&) const = default;
};

/// The least of the size axis that can fill the height.
constexpr double kLeastHeight = 1.0 / 1024;

enum class BlockColour : std::uint8_t { kStack, kFile, kThread, kSize, kLayer };

struct ViewState {
  ViewRange range;
  /// None: by phase where phases of two traces match, else by time.
  std::optional<picture::Align> align;
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;  ///< The footprint's layers.
  bool overlaid = false;
  std::optional<double> cursor;        ///< An instant on the axis; none: each trace's peak.
  std::optional<ViewRange> selection;  ///< A range on the axis; goes before the instant.
  Pane pane = Pane::kHolders;
  std::size_t side = 0;                    ///< Of two traces: the one whose details are shown.
  TreeOrder order = TreeOrder::kBottomUp;  ///< Of the table.
  bool flame_from_callers = true;          ///< Else from the asking functions.
  bool folds_recursion = false;            ///< In the table, too.
  BlockColour block_colour = BlockColour::kLayer;  ///< The timeline's own, or another one.
  bool both_blocks = true;                         ///< Of two traces: the blocks of both.
  /// The block whose details are shown, of the trace whose details are.
  std::optional<std::uint64_t> block;
  std::string wanted;  ///< What is searched for.
  /// How the pane of allocations groups them; never kNone.
  analyzer::UsageGrouping usage = analyzer::UsageGrouping::kTemporary;
  bool usage_by_function = false;  ///< Else by stack, where it has stacks.
  std::vector<Unticked> unticked;
  double height = 1;  ///< Of the size axis, the part in view, from the ground up.
  /// The timeline's share of the height that it shares with the pane, once it was chosen.
  std::optional<double> timeline;
  bool dark = false;

  bool operator==(const ViewState&) const = default;
};

/// None for what is no pane's word.
std::optional<Pane> pane_named(std::string_view word);

/// Which pane has a tab, counted from 0; none where there is no such tab. One trace has no
/// difference.
std::optional<Pane> pane_at(std::size_t tab, bool has_difference);

/// The timeline's share: as it was chosen, else half, and more where two traces stand apart in it.
double timeline_share(const ViewState& state, std::size_t traces);

/// Heights, in pixels.
struct Split {
  double all = 0;  ///< Of timeline and panes; more than there is where that is next to nothing.
  double timeline = 0;  ///< Of the timeline.
};

/// Neither takes so much of a low window, or of one whose type is large, that nothing can be seen
/// in the other one; what a person chose holds as long as something can.
/// @param height that there is. @param scale of the type.
Split split_height(const ViewState& state, std::size_t traces, double height, double scale);

/// What stays when other traces are opened: places on an axis mean nothing on another one.
ViewState for_other_traces(const ViewState& state);

/// JSON, schema 1; readable by parse_state of this and later versions.
std::string state_json(const ViewState& state);

/// What the text does not say stays as it is by default; unknown keys are passed over, and numbers
/// are brought into their limits.
/// @return kUsage when the text is no JSON object.
Result<ViewState> parse_state(const std::string& text);

}  // namespace tidemark::gui
