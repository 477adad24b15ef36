/// A flame graph of a call tree: one row per level, width by bytes, the root on top.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/trees/call_tree.hpp"
#include "gui/view/trees/difference_tree.hpp"
#include "gui/view/trees/layer_colours.hpp"
#include "gui/view/trees/measure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

struct FlameInput {
  const CallTree* tree = nullptr;     ///< Borrowed.
  std::uint32_t focus = 0;            ///< The node that fills the width, below its callers.
  Measure measure = Measure::kBytes;  ///< The part of the weight that is drawn as width.
  std::uint64_t model_bytes = 0;      ///< W; 0: unknown.
  std::string wanted;                 ///< Matching nodes stand out; empty: all do.
  std::optional<std::uint32_t> hovered;
  double scrolled = 0;  ///< Pixels scrolled out at the top.
  /// For a difference, by node; colours then show the change. Borrowed; null: no difference.
  const std::vector<Sides>* sides = nullptr;
  /// For a tree with recursion folded: see FoldedTree. Borrowed; null: not folded.
  const std::vector<std::uint32_t>* times = nullptr;
  const LayerColours* colours = nullptr;  ///< Colours of some functions. Borrowed; null: none.
};

struct FlameBox {
  picture::Box box;
  std::uint32_t node = 0;
};

/// Draws into `place`; rows below it are cut off. Nodes narrower than 3 pixels are merged into one
/// grey stretch at the end of their row. @return the boxes of nodes, for finding the one under the
/// pointer.
std::vector<FlameBox> draw_flame(picture::Scene& scene,
                                 const FlameInput& input,
                                 const picture::Box& place,
                                 const Look& look);

/// The least height that shows all levels; if there are few, rows grow into the room there is.
double flame_height(const CallTree& tree, const Look& look);

/// The node at a place of the picture.
std::optional<std::uint32_t> node_at(const std::vector<FlameBox>& boxes, picture::Point at);

}  // namespace tidemark::gui
