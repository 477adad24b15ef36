/// Lays out the files and blocks of a chain for its picture: each step is one column further.
#pragma once

#include "analyzer/flow/model_chain.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::gui {

/// The margin on every side of a box's text; and the distance between its lines.
inline double chain_padding(const Look& look) {
  return look.px(5);
}
inline double chain_line_height(const Look& look) {
  return look.type.small * 1.25;
}

/// `61.7 MiB of it: copied by a loop or in small pieces, or not copied`; empty if all bytes of a
/// node were seen to move on.
std::string unfollowed_text(const analyzer::ChainNode& node);

struct ChainLayout {
  std::vector<const analyzer::ChainEdge*> steps;  ///< The steps shown, borrowed.
  std::vector<std::vector<std::size_t>> columns;  ///< The nodes they touch, by depth.
  std::vector<picture::Box> boxes;                ///< By node; empty if it is not shown.
  /// By node: lines about bytes that were not seen to move on; mostly none.
  std::vector<std::vector<std::string>> unfollowed;
};

/// Leaves out steps that moved less than a hundredth of the model, and steps back. A box is as high
/// as its bytes, all on one scale, but never too low for its four lines and those of `unfollowed`.
ChainLayout lay_out_chain(const analyzer::Chain& chain,
                          const picture::Box& place,
                          const Look& look);

}  // namespace tidemark::gui
