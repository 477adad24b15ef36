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
/// Their names in saved views and on the command line, in the order of the enumerators.
constexpr std::array<std::string_view, kPanes> kPaneWords{
    "holders", "difference", "blocks", "activity", "findings", "usage", "pages"};
/// Something that a person takes away, to see what the peak would be without it.
struct Unticked {
  enum class Kind : std::uint8_t { kFinding, kStacks, kBlock };

  Kind kind = Kind::kFinding;
  std::size_t side = 0;  ///< Index of the trace that it belongs to.
  /// A finding's index in the report, or the number of a block's first allocation.
  std::uint64_t number = 0;
  std::vector<std::uint32_t> stacks{};   ///< For kStacks: StackIds, sorted.
  std::vector<std::uint64_t> resized{};  ///< For kBlock: the rest of BlockStory::chain.
  std::string text{};                    ///< What it is, in words.
  std::uint64_t bytes = 0;               ///< At the instant when it was unticked.

  /// True if equal up to text and bytes.
  [[nodiscard]] bool is_same(const Unticked& other) const {
    return kind == other.kind && side == other.side && number == other.number &&
           stacks == other.stacks;
  }
  bool operator==(const Unticked&) const = default;
};

/// The smallest part of the size axis that can fill the height.
constexpr double kMinHeight = 1.0 / 1024;

enum class BlockColour : std::uint8_t { kStack, kFile, kThread, kSize, kLayer };

struct ViewState {
  ViewRange range;
  /// None: by phase if phases of two traces match, else by time.
  std::optional<picture::Align> align;
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;  ///< The footprint's layers.
  bool overlaid = false;
  std::optional<double> cursor;        ///< An instant on the axis; none: each trace's peak.
  std::optional<ViewRange> selection;  ///< A range on the axis; overrides `cursor`.
  Pane pane = Pane::kHolders;
  std::size_t side = 0;                            ///< Index of the trace whose details are shown.
  TreeOrder order = TreeOrder::kBottomUp;          ///< The table's.
  bool flame_from_callers = true;                  ///< False: from the asking functions.
  bool folds_recursion = false;                    ///< In flame graph and table.
  BlockColour block_colour = BlockColour::kLayer;  ///< The timeline's, or another one.
  bool both_blocks = true;                         ///< Shows the blocks of both traces.
  /// The block whose details are shown, in the trace `side`.
  std::optional<std::uint64_t> block;
  std::string wanted;  ///< What is searched for.
  /// How the pane of allocations groups them; never kNone.
  analyzer::UsageGrouping usage = analyzer::UsageGrouping::kTemporary;
  bool usage_by_function = false;  ///< False: by stack, where rows are stacks.
  std::vector<Unticked> unticked;
  double height = 1;  ///< The part of the size axis in view, from zero up.
  /// The timeline's share of the height of timeline and pane; none: never chosen.
  std::optional<double> timeline;
  bool dark = false;

  bool operator==(const ViewState&) const = default;
};

/// None if no pane has this name.
std::optional<Pane> pane_named(std::string_view word);

/// The pane of a tab, counted from 0; none if there is no such tab. With one trace there is no
/// difference pane.
std::optional<Pane> pane_at(std::size_t tab, bool has_difference);

/// The timeline's share: the chosen one, else half, or more if it shows two traces separately.
double timeline_share(const ViewState& state, std::size_t traces);

/// Heights, in pixels.
struct Split {
  double all = 0;       ///< Timeline and pane; more than there is in a tiny window.
  double timeline = 0;  ///< The timeline alone.
};

/// Divides the height so that in a low window, or with large type, both timeline and pane still
/// show something; within that, the chosen share holds.
/// @param height available. @param scale of the type.
Split split_height(const ViewState& state, std::size_t traces, double height, double scale);

/// The state to keep when other traces are opened: without places on the axis, which would mean
/// nothing on another one.
ViewState for_other_traces(const ViewState& state);

/// JSON, schema 1; readable by parse_state of this and later versions.
std::string state_json(const ViewState& state);

/// Missing keys keep their defaults, unknown keys are ignored, and numbers are clamped to their
/// limits.
/// @return kUsage when the text is no JSON object.
Result<ViewState> parse_state(const std::string& text);

}  // namespace tidemark::gui
