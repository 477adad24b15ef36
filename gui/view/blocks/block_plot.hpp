/// What a picture of blocks is made of, and what its painters share: where bytes are, what blocks
/// are called, and where texts stand already.
#pragma once

#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "analyzer/picture/stacked_columns.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/blocks/block_hill.hpp"
#include "gui/view/blocks/block_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// What a block is called and which colour it has.
struct BlockName {
  std::string text;
  std::string content;  ///< The weights in the block; empty: not known.
  picture::Colour colour;
};

/// Bytes on their way: between two blocks, or from a file.
struct BlockArrow {
  std::optional<std::uint64_t>
      from;                         ///< A block's number; none: a file, or memory that is no block.
  std::optional<std::uint64_t> to;  ///< The same.
  double first = 0;                 ///< The column in which the first bytes went.
  double last = 0;
  std::string text;  ///< `240.0 MiB copied`.
};

struct BlockPicture {
  const BlockList* list = nullptr;  ///< Borrowed.
  const BlockStack* stack = nullptr;
  const std::vector<picture::StackedColumn>* columns = nullptr;  ///< The footprint, for the band.
  std::uint64_t highest = 1;                                     ///< Bytes at the upper edge.
  /// Divides the band by layer; null: the band is grey. See hill_of.
  const Hill* hill = nullptr;
  std::function<BlockName(const LongBlock&)> name;
  std::optional<std::uint64_t> hovered;   ///< A block's number, perhaps in a bundle.
  std::optional<std::uint64_t> pinned{};  ///< The same: it has an outline.
  std::vector<BlockArrow> arrows{};
  std::function<bool(const LongBlock&)> lit{};  ///< Other blocks fade; null: none fades.
};

/// Whether two boxes have an area in common.
bool boxes_overlap(const picture::Box& one, const picture::Box& other);

class BlockPlot {
 public:
  /// All stay borrowed.
  BlockPlot(picture::Scene& scene,
            const BlockPicture& picture,
            const picture::Box& place,
            const Look& look);

  [[nodiscard]] picture::Pen& pen() { return pen_; }
  [[nodiscard]] const BlockPicture& picture() const { return picture_; }
  [[nodiscard]] const picture::Box& place() const { return place_; }
  [[nodiscard]] const Look& look() const { return look_; }

  [[nodiscard]] double y_of(std::uint64_t bytes) const;
  /// `shape` is one of the stack's.
  [[nodiscard]] const BlockName& name_of(const BlockShape& shape) const;
  /// The spot of a block by its number; none: it is not drawn.
  [[nodiscard]] std::optional<BlockSpot> spot_of(std::optional<std::uint64_t> allocation) const;
  [[nodiscard]] const std::optional<BlockSpot>& hovered() const { return hovered_; }
  [[nodiscard]] bool is_pointed_at(const BlockShape& shape) const;
  /// A shape pointed at takes precedence over what is lit.
  [[nodiscard]] bool stands_back(const BlockShape& shape) const;
  /// The boxes of this picture's texts drawn so far.
  [[nodiscard]] std::vector<picture::Box> texts_so_far() const;

 private:
  picture::Scene& scene_;
  std::size_t first_item_;  // Where this picture begins in the scene.
  picture::Pen pen_;
  const BlockPicture& picture_;
  const picture::Box& place_;
  const Look& look_;
  std::optional<BlockSpot> hovered_;
  std::vector<BlockName> names_;  // Names in the stack's shapes.
};

}  // namespace tidemark::gui
