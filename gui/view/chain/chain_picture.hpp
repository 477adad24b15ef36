/// The way of the model's bytes as a picture: files on the left, each step one column further.
#pragma once

#include "analyzer/flow/model_chain.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/trees/layer_colours.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

struct ChainBox {
  picture::Box box;
  std::size_t node = 0;  ///< Index into Chain::nodes.
};

/// Draws into `place`: boxes for files and blocks, bands for the bytes that went between them.
/// Leaves out steps that moved less than a hundredth of the model, and steps back. `chain` must not
/// be empty.
/// @return the boxes of nodes, for finding the one under the pointer.
std::vector<ChainBox> draw_chain(picture::Scene& scene,
                                 const analyzer::Chain& chain,
                                 std::optional<std::size_t> hovered,
                                 const picture::Box& place,
                                 const Look& look,
                                 const LayerColours& colours = {});

/// The node at a place of the picture.
std::optional<std::size_t> chain_node_at(const std::vector<ChainBox>& boxes, picture::Point at);

/// A node's tooltip: its full name, how much of it is alive at the peak, what went into it and out
/// of it, and how much was not seen to move on. Lines, the last one without a line end.
std::string chain_node_text(const analyzer::Chain& chain, std::size_t node);

/// When a node's blocks held all that came to them: the end of the last step to it. For files: the
/// begin of the first step from it.
std::uint64_t arrival_ns(const analyzer::Chain& chain, std::size_t node);

}  // namespace tidemark::gui
