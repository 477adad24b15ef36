#include "gui/view/blocks/block_plot.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace tidemark::gui {

using picture::Box;

bool boxes_overlap(const Box& one, const Box& other) {
  return one.x < other.right() && other.x < one.right() && one.y < other.bottom() &&
         other.y < one.bottom();
}

BlockPlot::BlockPlot(picture::Scene& scene,
                     const BlockPicture& picture,
                     const Box& place,
                     const Look& look)
    : scene_(scene),
      first_item_(scene.items.size()),
      pen_(scene, look.measure),
      picture_(picture),
      place_(place),
      look_(look),
      hovered_(spot_of(picture.hovered)) {
  names_.reserve(picture.stack->shapes.size());
  for (const BlockShape& shape : picture.stack->shapes) {
    names_.push_back(picture.name(picture.list->blocks[shape.block]));
  }
}

double BlockPlot::y_of(std::uint64_t bytes) const {
  const double share = static_cast<double>(bytes) / static_cast<double>(picture_.highest);
  return place_.bottom() - std::min(share, 1.0) * place_.height;
}

const BlockName& BlockPlot::name_of(const BlockShape& shape) const {
  return names_[static_cast<std::size_t>(&shape - picture_.stack->shapes.data())];
}

std::optional<BlockSpot> BlockPlot::spot_of(std::optional<std::uint64_t> allocation) const {
  const auto& blocks = picture_.list->blocks;
  const auto block =
      allocation ? std::ranges::find(blocks, *allocation, &LongBlock::allocation) : blocks.end();
  return block == blocks.end() ? std::nullopt
                               : gui::spot_of(*picture_.list, *picture_.stack,
                                              static_cast<std::size_t>(block - blocks.begin()));
}

bool BlockPlot::is_pointed_at(const BlockShape& shape) const {
  return hovered_ && &shape == &picture_.stack->shapes[hovered_->shape];
}

bool BlockPlot::stands_back(const BlockShape& shape) const {
  return picture_.hovered ? !is_pointed_at(shape)
                          : picture_.lit && !picture_.lit(picture_.list->blocks[shape.block]);
}

std::vector<Box> BlockPlot::texts_so_far() const {
  std::vector<Box> found;
  for (const auto& item : std::span(scene_.items).subspan(first_item_)) {
    if (const auto* const label = std::get_if<picture::Label>(&item)) {
      found.push_back(label->box);
    }
  }
  return found;
}

}  // namespace tidemark::gui
