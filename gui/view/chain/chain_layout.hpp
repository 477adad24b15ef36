/// Where the files and blocks of a chain stand in its picture: each step one column further.
#pragma once

#include "analyzer/flow/model_chain.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::gui {

/// Of a box's width and height, on every side of its text; from line to line.
inline double chain_padding(const Look& look) {
  return look.px(5);
}
inline double chain_line_height(const Look& look) {
  return look.type.small * 1.25;
}

/// `61.7 MiB of it: copied by a loop or in small pieces, or not copied`; empty where all bytes of a
/// node were seen to go on.
std::string unfollowed_text(const analyzer::ChainNode& node);

struct ChainLayout {
  std::vector<const analyzer::ChainEdge*> steps;  ///< Those that are shown, borrowed.
  std::vector<std::vector<std::size_t>> columns;  ///< The nodes they touch, by depth.
  std::vector<picture::Box> boxes;                ///< By node; empty for one that is not shown.
  /// By node, the lines of what is said of bytes that were not seen to go on; mostly none.
  std::vector<std::vector<std::string>> unfollowed;
};

/// Steps that moved less than a hundredth of the model, and ways back, are left out. A box is as
/// high as its bytes, all on one scale; one that is too low for its four lines and those of
/// `unfollowed` has room for these.
ChainLayout lay_out_chain(const analyzer::Chain& chain,
                          const picture::Box& place,
                          const Look& look);

}  // namespace tidemark::gui
