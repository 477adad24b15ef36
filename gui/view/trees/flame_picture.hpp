/// A flame graph of a call tree: one row a level, width by bytes, the root on top.
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
  std::uint32_t focus = 0;            ///< The node that takes the whole width, below its callers.
  Measure measure = Measure::kBytes;  ///< What of a node's weight its width stands for.
  std::uint64_t model_bytes = 0;      ///< W; 0: unknown.
  std::string wanted;                 ///< What matches stands out; empty: all does.
  std::optional<std::uint32_t> hovered;
  double scrolled = 0;  ///< Pixels that have left at the top.
  /// Of a difference: by node; colours then stand for the change. Borrowed; null: no difference.
  const std::vector<Sides>* sides = nullptr;
  /// Of a tree with recursion folded: see FoldedTree. Borrowed; null: of none.
  const std::vector<std::uint32_t>* times = nullptr;
  const LayerColours* colours = nullptr;  ///< Of some functions. Borrowed; null: of none.
};

struct FlameBox {
  picture::Box box;
  std::uint32_t node = 0;
};

/// Draws into `place`; what is lower is cut off. Nodes under 3 pixels are folded into one grey
/// stretch at the end of their row. @return the boxes of nodes, for the pointer.
std::vector<FlameBox> draw_flame(picture::Scene& scene,
                                 const FlameInput& input,
                                 const picture::Box& place,
                                 const Look& look);

/// The height of all levels, where there are many: a few take more.
double flame_height(const CallTree& tree, const Look& look);

/// The node at a place of the picture.
std::optional<std::uint32_t> node_at(const std::vector<FlameBox>& boxes, picture::Point at);

}  // namespace tidemark::gui
