/// Where the files and blocks of a chain stand in its picture: each step one column further.
#pragma once

#include "analyzer/flow/model_chain.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::gui {

struct ChainLayout {
  std::vector<const analyzer::ChainEdge*> steps;  ///< Those that are shown, borrowed.
  std::vector<std::vector<std::size_t>> columns;  ///< The nodes they touch, by depth.
  std::vector<picture::Box> boxes;                ///< By node; empty for one that is not shown.
};

/// Steps that moved less than a hundredth of the model, and ways back, are left out. A box has room
/// for its four lines, and grows by its bytes: the same for all boxes.
ChainLayout lay_out_chain(const analyzer::Chain& chain,
                          const picture::Box& place,
                          const Look& look);

}  // namespace tidemark::gui
