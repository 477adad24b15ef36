#include "gui/view/blocks/block_arrows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tidemark::gui {

using picture::Box;
using picture::Part;
using picture::Point;

void ArrowPainter::draw_shafts() {
  for (const BlockArrow& arrow : plot_.picture().arrows) {
    if (const auto shaft = shaft_of(arrow)) {
      shafts_.push_back(*shaft);
      draw_shaft(*shaft);
    }
  }
}

void ArrowPainter::draw_texts() {
  std::vector<Box> taken = plot_.texts_so_far();
  for (const Shaft& shaft : shafts_) {
    draw_text(shaft, taken);
  }
}

double ArrowPainter::beside_shafts(double left, double baseline, double right) const {
  const Box line = picture::text_box({left, baseline}, right - left, plot_.look().type.small);
  for (const Shaft& shaft : shafts_) {
    const Box box = shaft.box(head());
    left = boxes_overlap(line, box) ? std::max(left, box.right() + plot_.look().px(4)) : left;
  }
  return left;
}

/// The middle of a block in a column, or in the last column before that has it; none: it is not
/// drawn.
std::optional<double> ArrowPainter::middle_of(std::optional<std::uint64_t> allocation,
                                              double column) const {
  const auto spot = plot_.spot_of(allocation);
  if (!spot || spot->runs.empty()) {
    return std::nullopt;
  }
  const auto next = std::ranges::partition_point(
      spot->runs, [&](const BlockRun& run) { return static_cast<double>(run.begin) <= column; });
  const BlockRun& run = next == spot->runs.begin() ? *next : *std::prev(next);
  return (plot_.y_of(run.bottom) + plot_.y_of(run.top())) / 2;
}

/// A bar over the time in which the bytes went, with an arrow from its middle. If the source is
/// not a shown block, the arrow comes from the axis below, where files are.
std::optional<ArrowPainter::Shaft> ArrowPainter::shaft_of(const BlockArrow& arrow) const {
  const double right = static_cast<double>(plot_.picture().columns->size());
  if (arrow.last < 0 || arrow.first > right) {
    return std::nullopt;
  }
  const double first = std::clamp(arrow.first, 0.0, right);
  const double last = std::clamp(arrow.last, first, right);
  const double column = (first + last) / 2;
  const Shaft shaft{.x = std::floor(plot_.place().x + column) + 0.5,
                    .from = middle_of(arrow.from, column).value_or(plot_.place().bottom()),
                    .to = middle_of(arrow.to, column).value_or(plot_.place().bottom()),
                    .bar_left = plot_.place().x + first,
                    .bar_right = plot_.place().x + last,
                    .text = &arrow.text};
  return std::abs(shaft.from - shaft.to) < plot_.look().px(4) ? std::nullopt : std::optional(shaft);
}

void ArrowPainter::draw_shaft(const Shaft& shaft) {
  const double head = this->head();
  const double back = shaft.to < shaft.from ? head : -head;
  const picture::Colour lining = picture::faded(plot_.look().theme.background, 0.85);
  const std::vector<Point> line{{shaft.x, shaft.from}, {shaft.x, shaft.to}};
  const std::vector<Point> bar{{shaft.bar_left, shaft.from}, {shaft.bar_right, shaft.from}};
  for (const auto& [colour, width] : {std::pair(lining, plot_.look().px(4)),
                                      std::pair(plot_.look().theme.ink, plot_.look().px(1.6))}) {
    plot_.pen().stroke(Part::kLegend, colour, width, line);
    if (shaft.bar_right - shaft.bar_left > 2) {
      plot_.pen().stroke(Part::kLegend, colour, width, bar);
    }
  }
  plot_.pen().fill(Part::kLegend, plot_.look().theme.ink,
                   {{shaft.x, shaft.to},
                    {shaft.x - head, shaft.to + 1.6 * back},
                    {shaft.x + head, shaft.to + 1.6 * back}});
}

/// Beside the shaft, as near to its middle as there is room. If there is none, leaves the text
/// out: the panel of a pinned block lists what came and went.
void ArrowPainter::draw_text(const Shaft& shaft, std::vector<Box>& taken) {
  const picture::TextLook look{plot_.look().type.small, plot_.look().theme.ink};
  const double width = plot_.pen().width_of(look, *shaft.text);
  const double gap = plot_.look().px(8);
  const double step = look.size * 1.5;
  const double middle = (shaft.from + shaft.to) / 2;
  const auto steps = static_cast<int>(std::abs(shaft.from - middle) / step) + 1;
  const auto is_free = [&](const Box& box) {
    const auto is_hit = [&](const Box& one) { return boxes_overlap(box, one); };
    return box.x >= plot_.place().x && box.right() <= plot_.place().right() &&
           box.y >= plot_.place().y && box.bottom() <= plot_.place().bottom() &&
           std::ranges::none_of(taken, is_hit) &&
           std::ranges::none_of(shafts_, [&](const Shaft& one) { return is_hit(one.box(head())); });
  };
  for (int i = 0; i <= 2 * steps; ++i) {
    const double y = middle + (i % 2 == 0 ? 1 : -1) * ((i + 1) / 2) * step;
    for (const double left : {shaft.x + gap, shaft.x - gap - width}) {
      const double baseline = picture::middle_baseline(y, y, look.size);
      const Box text = picture::text_box({left, baseline}, width, look.size);
      const Box box{text.x - gap / 4, text.y, text.width + gap / 2, text.height};
      if (is_free(box)) {
        plot_.pen().fill(Part::kBackdrop, picture::faded(plot_.look().theme.background, 0.85), box);
        plot_.pen().text(look, picture::Anchor::kLeft, {left, baseline}, *shaft.text, width + 1);
        taken.push_back(box);
        return;
      }
    }
  }
}

}  // namespace tidemark::gui
