#include "gui/view/blocks/block_picture.hpp"

#include "analyzer/picture/panel.hpp"
#include "analyzer/picture/ticks.hpp"
#include "gui/view/blocks/block_arrows.hpp"
#include "gui/view/blocks/block_hill_picture.hpp"
#include "gui/view/blocks/block_labels.hpp"
#include "gui/view/blocks/block_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Part;
using picture::Point;

/// The blocks themselves, with what is behind them.
class BlockPainter {
 public:
  explicit BlockPainter(BlockPlot& plot) : plot_(plot) {}

  void draw() {
    axis();
    if (plot_.picture().hill != nullptr) {
      draw_hill(
          plot_.pen(), *plot_.picture().hill,
          {plot_.picture().stack->heights, plot_.picture().highest, plot_.place(), plot_.look()});
    } else {
      band();
    }
    for (const BlockShape& shape : plot_.picture().stack->shapes) {
      block(shape);
    }
    if (plot_.hovered()) {
      outline_spot(*plot_.hovered());
    }
    if (plot_.picture().pinned) {
      outline_all(*plot_.picture().pinned);
    }
  }

 private:
  /// A block that grows in place is listed once for each size, side by side: draws one edge around
  /// all of them.
  void outline_all(std::uint64_t allocation) {
    const auto& blocks = plot_.picture().list->blocks;
    std::vector<BlockRun> runs;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto spot = blocks[i].allocation == allocation
                            ? gui::spot_of(*plot_.picture().list, *plot_.picture().stack, i)
                            : std::nullopt;
      if (spot) {
        fill(spot->runs, colour_of(plot_.picture().stack->shapes[spot->shape]));
        runs.insert(runs.end(), spot->runs.begin(), spot->runs.end());
      }
    }
    std::ranges::stable_sort(runs, {}, &BlockRun::begin);
    edge(runs);
  }

  void axis() {
    const picture::TextLook look{plot_.look().type.small, plot_.look().theme.soft};
    const auto most = static_cast<std::size_t>(plot_.place().height / (2.4 * look.size));
    for (const picture::Tick& tick :
         picture::size_ticks(plot_.picture().highest, std::clamp<std::size_t>(most, 1, 6))) {
      const double y = std::floor(plot_.y_of(tick.value)) + 0.5;
      plot_.pen().stroke(Part::kGrid, plot_.look().theme.grid, 1,
                         {{plot_.place().x, y}, {plot_.place().right(), y}});
      const double baseline = picture::middle_baseline(y, y, look.size);
      plot_.pen().text(look, picture::Anchor::kRight,
                       {plot_.place().x - plot_.look().px(6),
                        std::max(baseline, plot_.place().y + look.size * 0.76)},
                       tick.text);
    }
  }

  /// What the footprint has beyond the blocks that are shown.
  void band() {
    const auto& columns = *plot_.picture().columns;
    const auto& heights = plot_.picture().stack->heights;
    const std::size_t count = std::min(columns.size(), heights.size());
    if (count == 0) {
      return;
    }
    auto outline = picture::steps(plot_.place(), count, [&](std::size_t c) {
      return plot_.y_of(std::max(columns[c].highest.footprint(), heights[c]));
    });
    const auto ground =
        picture::steps(plot_.place(), count, [&](std::size_t c) { return plot_.y_of(heights[c]); });
    outline.insert(outline.end(), ground.rbegin(), ground.rend());
    plot_.pen().fill(Part::kRange,
                     picture::mixed(plot_.look().theme.soft, plot_.look().theme.background, 0.3),
                     std::move(outline));
  }

  /// One outline for each part without gaps.
  [[nodiscard]] std::vector<std::vector<Point>> outlines(const std::vector<BlockRun>& runs) const {
    std::vector<std::vector<Point>> found;
    for (auto begin = runs.begin(); begin != runs.end();) {
      const auto gap = std::adjacent_find(
          begin, runs.end(), [](const auto& a, const auto& b) { return a.end != b.begin; });
      const auto end = gap == runs.end() ? gap : std::next(gap);
      found.push_back(outline(std::span(begin, end)));
      begin = end;
    }
    return found;
  }

  /// Leaves a hairline of background to neighbours, above and on the left.
  [[nodiscard]] std::vector<Point> outline(std::span<const BlockRun> runs) const {
    std::vector<Point> points;
    const bool is_wide = runs.back().end - runs.front().begin > 2;
    const auto x_of = [&](std::size_t column) {
      const bool is_begin = is_wide && column == runs.front().begin;
      return plot_.place().x + static_cast<double>(column) + (is_begin ? 1 : 0);
    };
    const auto top_of = [this](const BlockRun& run) {
      const double top = plot_.y_of(run.top());
      return top + std::clamp(plot_.y_of(run.bottom) - top - 1, 0.0, 1.0);
    };
    for (const BlockRun& run : runs) {
      points.push_back({x_of(run.begin), top_of(run)});
      points.push_back({x_of(run.end), top_of(run)});
    }
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      points.push_back({x_of(run->end), plot_.y_of(run->bottom)});
      points.push_back({x_of(run->begin), plot_.y_of(run->bottom)});
    }
    return points;
  }

  void block(const BlockShape& shape) {
    constexpr double kBack = 0.55;
    constexpr double kAroundTheOne = 0.82;  // For the rest of a bundle with a block pointed at.
    const double share = plot_.stands_back(shape)                        ? kBack
                         : plot_.is_pointed_at(shape) && shape.count > 1 ? kAroundTheOne
                                                                         : 1;
    fill(shape.runs,
         picture::mixed(plot_.name_of(shape).colour, plot_.look().theme.background, share));
  }

  void fill(const std::vector<BlockRun>& runs, const picture::Colour& colour) {
    for (std::vector<Point>& points : outlines(runs)) {
      plot_.pen().fill(Part::kLane, colour, std::move(points));
    }
  }

  /// In its own colour, with an edge.
  void outline_spot(const BlockSpot& spot) {
    fill(spot.runs, colour_of(plot_.picture().stack->shapes[spot.shape]));
    edge(spot.runs);
  }

  [[nodiscard]] picture::Colour colour_of(const BlockShape& shape) const {
    const picture::Colour colour = plot_.name_of(shape).colour;
    return plot_.stands_back(shape) ? picture::mixed(colour, plot_.look().theme.background, 0.55)
                                    : colour;
  }

  void edge(const std::vector<BlockRun>& runs) {
    for (std::vector<Point>& points : outlines(runs)) {
      points.push_back(points.front());
      plot_.pen().stroke(Part::kLane, plot_.look().theme.ink, plot_.look().px(2),
                         std::move(points));
    }
  }

  BlockPlot& plot_;
};

}  // namespace

void draw_blocks(picture::Scene& scene,
                 const BlockPicture& picture,
                 const Box& place,
                 const Look& look) {
  BlockPlot plot(scene, picture, place, look);
  BlockPainter(plot).draw();
  ArrowPainter arrows(plot);
  arrows.draw_shafts();
  draw_block_labels(plot, arrows);
  arrows.draw_texts();
}

}  // namespace tidemark::gui
