/// Arrows over the blocks: where bytes went.
#pragma once

#include "gui/view/blocks/block_plot.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

class ArrowPainter {
 public:
  /// Borrows the plot.
  explicit ArrowPainter(BlockPlot& plot) : plot_(plot) {}

  void draw_shafts();
  /// To be called last, where texts hide neither each other nor an arrow.
  void draw_texts();
  /// Where a line of text must begin so as not to cover an arrow: right of those that cross it.
  [[nodiscard]] double beside_shafts(double left, double baseline, double right) const;

 private:
  /// A vertical arrow, with a bar at its foot.
  struct Shaft {
    double x = 0;
    double from = 0;
    double to = 0;
    double bar_left = 0;
    double bar_right = 0;
    const std::string* text = nullptr;

    [[nodiscard]] picture::Box box(double head) const {
      return {x - head, std::min(from, to), 2 * head, std::abs(from - to)};
    }
  };

  /// Half as wide as an arrow's head.
  [[nodiscard]] double head() const { return plot_.look().px(5); }
  [[nodiscard]] std::optional<double> middle_of(std::optional<std::uint64_t> allocation,
                                                double column) const;
  [[nodiscard]] std::optional<Shaft> shaft_of(const BlockArrow& arrow) const;
  void draw_shaft(const Shaft& shaft);
  void draw_text(const Shaft& shaft, std::vector<picture::Box>& taken);

  BlockPlot& plot_;
  std::vector<Shaft> shafts_;  // Shafts of the arrows in view.
};

}  // namespace tidemark::gui
