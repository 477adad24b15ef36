#include "gui/view/basics/draw_order.hpp"

#include <algorithm>

namespace tidemark::gui {
namespace {

/// Pixels of a cell's side: about as many as there are between two lines of text, which would
/// otherwise have to stay in their order.
constexpr std::size_t kCell = 4;

constexpr std::size_t kMaxBatchesInCells = 255;

constexpr std::size_t cells_for(std::size_t pixels) {
  return (pixels + kCell - 1) / kCell;
}

bool fits(const DrawBatch& batch, const DrawnShape& shape) {
  const bool is_full = batch.has_rectangles && batch.first_indices.size() == kMaxRectanglesInBatch;
  return batch.call == shape.call && batch.kind == shape.kind &&
         batch.has_rectangles == shape.is_rectangle && !is_full;
}

}  // namespace

/// The cells that a shape covers: `width` in each row.
struct DrawOrder::Rows {
  std::size_t begin;
  std::size_t end;
  std::size_t width;
};

std::vector<DrawBatch> DrawOrder::batches_of(std::span<const DrawnShape> shapes,
                                             std::size_t width,
                                             std::size_t height) {
  columns_ = cells_for(width);
  cells_.resize(columns_ * cells_for(height));
  clear(0);
  std::vector<DrawBatch> batches;
  for (const DrawnShape& shape : shapes) {
    std::size_t batch = last_below(shape);
    while (batch < batches.size() && !fits(batches[batch], shape)) {
      ++batch;
    }
    if (batch == batches.size()) {
      batches.push_back({shape.call, shape.kind, shape.is_rectangle, {}});
    }
    batches[batch].first_indices.push_back(shape.first_index);
    if (batch - first_ == kMaxBatchesInCells) {
      clear(batch);
    }
    cover(shape, batch);
  }
  return batches;
}

/// From now on, all that is drawn comes in the batch `first` or later.
void DrawOrder::clear(std::size_t first) {
  first_ = first;
  std::ranges::fill(cells_, std::uint8_t{0});
}

std::size_t DrawOrder::last_below(const DrawnShape& shape) const {
  const Rows rows = rows_of(shape);
  std::uint8_t last = 0;
  for (std::size_t row = rows.begin; row < rows.end; row += columns_) {
    for (std::size_t cell = row; cell < row + rows.width; ++cell) {
      last = std::max(last, cells_[cell]);
    }
  }
  return first_ + (last == 0 ? 0 : last - 1U);
}

void DrawOrder::cover(const DrawnShape& shape, std::size_t batch) {
  const Rows rows = rows_of(shape);
  for (std::size_t row = rows.begin; row < rows.end; row += columns_) {
    std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(row), rows.width,
                static_cast<std::uint8_t>(batch - first_ + 1));
  }
}

DrawOrder::Rows DrawOrder::rows_of(const DrawnShape& shape) const {
  const std::size_t left = shape.left / kCell;
  return {(shape.top / kCell) * columns_ + left, cells_for(shape.bottom) * columns_ + left,
          cells_for(shape.right) - left};
}

}  // namespace tidemark::gui
