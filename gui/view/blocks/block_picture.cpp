#include "gui/view/blocks/block_picture.hpp"

#include "analyzer/picture/panel.hpp"
#include "analyzer/picture/ticks.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/blocks/block_hill_picture.hpp"
#include "gui/view/blocks/block_stretch.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

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

class BlockPainter {
 public:
  BlockPainter(picture::Scene& scene,
               const BlockPicture& picture,
               const Box& place,
               const Look& look)
      : pen_(scene, look.measure), picture_(picture), place_(place), look_(look) {
    names_.reserve(picture.stack->shapes.size());
    for (const BlockShape& shape : picture.stack->shapes) {
      names_.push_back(picture.name(picture.list->blocks[shape.block]));
    }
  }

  void draw() {
    axis();
    if (picture_.hill != nullptr) {
      draw_hill(pen_, *picture_.hill, {picture_.stack->heights, picture_.highest, place_, look_});
    } else {
      band();
    }
    for (const BlockShape& shape : picture_.stack->shapes) {
      block(shape, false);
    }
    for (const BlockShape& shape : picture_.stack->shapes) {
      const auto allocation = picture_.list->blocks[shape.block].allocation;
      if (allocation == picture_.hovered || allocation == picture_.pinned) {
        block(shape, true);
      }
    }
    for (const BlockShape& shape : picture_.stack->shapes) {
      label(shape);
    }
    group_labels();
    for (const BlockArrow& arrow : picture_.arrows) {
      this->arrow(arrow);
    }
  }

 private:
  /// `shape` is one of the stack's.
  [[nodiscard]] const BlockName& name_of(const BlockShape& shape) const {
    return names_[static_cast<std::size_t>(&shape - picture_.stack->shapes.data())];
  }

  [[nodiscard]] double y_of(std::uint64_t bytes) const {
    const double share = static_cast<double>(bytes) / static_cast<double>(picture_.highest);
    return place_.bottom() - std::min(share, 1.0) * place_.height;
  }

  void axis() {
    const picture::TextLook look{look_.type.small, look_.theme.soft};
    const auto most = static_cast<std::size_t>(place_.height / (2.4 * look.size));
    for (const picture::Tick& tick :
         picture::size_ticks(picture_.highest, std::clamp<std::size_t>(most, 1, 6))) {
      const double y = std::floor(y_of(tick.value)) + 0.5;
      pen_.stroke(Part::kGrid, look_.theme.grid, 1, {{place_.x, y}, {place_.right(), y}});
      const double baseline = picture::middle_baseline(y, y, look.size);
      pen_.text(look, picture::Anchor::kRight,
                {place_.x - look_.px(6), std::max(baseline, place_.y + look.size * 0.76)},
                tick.text);
    }
  }

  /// What the footprint has beyond the blocks that are shown.
  void band() {
    const auto& columns = *picture_.columns;
    const auto& heights = picture_.stack->heights;
    const std::size_t count = std::min(columns.size(), heights.size());
    if (count == 0) {
      return;
    }
    auto outline = picture::steps(place_, count, [&](std::size_t c) {
      return y_of(std::max(columns[c].highest.footprint(), heights[c]));
    });
    const auto ground =
        picture::steps(place_, count, [&](std::size_t c) { return y_of(heights[c]); });
    outline.insert(outline.end(), ground.rbegin(), ground.rend());
    pen_.fill(Part::kRange, picture::mixed(look_.theme.soft, look_.theme.background, 0.3),
              std::move(outline));
  }

  /// One outline for each part without gaps.
  [[nodiscard]] std::vector<std::vector<Point>> outlines(const BlockShape& shape) const {
    std::vector<std::vector<Point>> found;
    for (auto begin = shape.runs.begin(); begin != shape.runs.end();) {
      const auto gap = std::adjacent_find(
          begin, shape.runs.end(), [](const auto& a, const auto& b) { return a.end != b.begin; });
      const auto end = gap == shape.runs.end() ? gap : std::next(gap);
      found.push_back(outline(std::span(begin, end)));
      begin = end;
    }
    return found;
  }

  /// A hairline of the background stays between neighbours: above, and where it begins.
  [[nodiscard]] std::vector<Point> outline(std::span<const BlockRun> runs) const {
    std::vector<Point> points;
    const bool is_wide = runs.back().end - runs.front().begin > 2;
    const auto x_of = [&](std::size_t column) {
      const bool is_begin = is_wide && column == runs.front().begin;
      return place_.x + static_cast<double>(column) + (is_begin ? 1 : 0);
    };
    const auto top_of = [this](const BlockRun& run) {
      const double top = y_of(run.top());
      return top + std::clamp(y_of(run.bottom) - top - 1, 0.0, 1.0);
    };
    for (const BlockRun& run : runs) {
      points.push_back({x_of(run.begin), top_of(run)});
      points.push_back({x_of(run.end), top_of(run)});
    }
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      points.push_back({x_of(run->end), y_of(run->bottom)});
      points.push_back({x_of(run->begin), y_of(run->bottom)});
    }
    return points;
  }

  /// What is pointed at goes before what was chosen.
  [[nodiscard]] bool stands_back(const LongBlock& block) const {
    return picture_.hovered ? block.allocation != picture_.hovered
                            : picture_.lit && !picture_.lit(block);
  }

  void block(const BlockShape& shape, bool is_outlined) {
    const LongBlock& block = picture_.list->blocks[shape.block];
    picture::Colour colour = name_of(shape).colour;
    if (stands_back(block)) {
      colour = picture::mixed(colour, look_.theme.background, 0.55);
    }
    for (std::vector<Point>& points : outlines(shape)) {
      pen_.fill(Part::kLane, colour, points);
      if (is_outlined) {
        points.push_back(points.front());
        pen_.stroke(Part::kLane, look_.theme.ink, look_.px(2), std::move(points));
      }
    }
  }

  /// Inside its longest stretch, where it fits.
  void label(const BlockShape& shape) {
    picture::TextLook look{look_.type.small, look_.theme.ink};
    const double unit = static_cast<double>(picture_.highest) / place_.height;  // Bytes a pixel.
    const auto lowest = static_cast<std::uint64_t>(unit * look.size * 1.3);
    // Where much of it is alive, not in the thin beginning of a bundle that grows.
    const BlockStretch stretch = label_stretch(shape, std::max(lowest, shape.most / 2));
    const double width = static_cast<double>(stretch.end - stretch.begin) - look_.px(10);
    if (width < look_.px(50)) {
      return;
    }
    const LongBlock& block = picture_.list->blocks[shape.block];
    const BlockName& named = name_of(shape);
    look.colour = stands_back(block) ? look_.theme.ink : picture::ink_on(named.colour);
    // What a block holds says more than who asked for it.
    const bool has_content = shape.count == 1 && !named.content.empty();
    const std::string& name = has_content ? named.content : named.text;
    std::string full = full_label(shape, name);
    if (has_content && pen_.width_of(look, full + "  " + named.text) <= width) {
      full += "  " + named.text;
    }
    pen_.text(look, picture::Anchor::kLeft,
              {place_.x + static_cast<double>(stretch.begin) + look_.px(5),
               picture::middle_baseline(y_of(stretch.top), y_of(stretch.bottom), look.size)},
              pen_.width_of(look, full) <= width ? full : last_parts(name), width);
  }

  [[nodiscard]] static std::string full_label(const BlockShape& shape, const std::string& name) {
    const std::string size = analyzer::format_size(shape.most);
    return shape.count == 1 ? name + "  " + size
                            : fmt::format("{} blocks of {}  {}",
                                          analyzer::format_count(shape.count), name, size);
  }

  /// The middle of a block in a column, or in the last one before in which it is; none: it is shown
  /// in no shape of its own.
  [[nodiscard]] std::optional<double> middle_of(std::uint64_t allocation, double column) const {
    for (const BlockShape& shape : picture_.stack->shapes) {
      if (picture_.list->blocks[shape.block].allocation != allocation || shape.runs.empty()) {
        continue;
      }
      const auto next = std::ranges::partition_point(shape.runs, [&](const BlockRun& run) {
        return static_cast<double>(run.begin) <= column;
      });
      const BlockRun& run = next == shape.runs.begin() ? *next : *std::prev(next);
      return (y_of(run.bottom) + y_of(run.top())) / 2;
    }
    return std::nullopt;
  }

  /// Upright, at the time when the bytes went: a bar as long as that took, and from its middle an
  /// arrow. What comes from no block that is shown comes from the axis below, where files are.
  void arrow(const BlockArrow& arrow) {
    const double right = static_cast<double>(picture_.columns->size());
    if (arrow.last < 0 || arrow.first > right) {
      return;
    }
    const double first = std::clamp(arrow.first, 0.0, right);
    const double last = std::clamp(arrow.last, first, right);
    const double column = (first + last) / 2;
    const auto y_at = [&](const std::optional<std::uint64_t>& block) {
      return block ? middle_of(*block, column) : std::nullopt;
    };
    const double from = y_at(arrow.from).value_or(place_.bottom());
    const double to = y_at(arrow.to).value_or(place_.bottom());
    if (std::abs(from - to) < look_.px(4)) {
      return;
    }
    const double x = std::floor(place_.x + column) + 0.5;
    const double head = look_.px(5);
    const double back = to < from ? head : -head;
    const picture::Colour lining = picture::faded(look_.theme.background, 0.85);
    const std::vector<Point> shaft{{x, from}, {x, to}};
    const std::vector<Point> bar{{place_.x + first, from}, {place_.x + last, from}};
    for (const auto& [colour, width] :
         {std::pair(lining, look_.px(4)), std::pair(look_.theme.ink, look_.px(1.6))}) {
      pen_.stroke(Part::kLegend, colour, width, shaft);
      if (last - first > 2) {
        pen_.stroke(Part::kLegend, colour, width, bar);
      }
    }
    pen_.fill(Part::kLegend, look_.theme.ink,
              {{x, to}, {x - head, to + 1.6 * back}, {x + head, to + 1.6 * back}});
    arrow_text(arrow.text, x, (from + to) / 2);
  }

  void arrow_text(const std::string& text, double x, double y) {
    const picture::TextLook look{look_.type.small, look_.theme.ink};
    const double width = pen_.width_of(look, text);
    const double gap = look_.px(8);
    const double left = x + gap + width < place_.right() ? x + gap : x - gap - width;
    const double baseline = picture::middle_baseline(y, y, look.size);
    const Box box = picture::text_box({left, baseline}, width, look.size);
    pen_.fill(Part::kBackdrop, picture::faded(look_.theme.background, 0.85),
              Box{box.x - gap / 2, box.y, box.width + gap, box.height});
    pen_.text(look, picture::Anchor::kLeft, {left, baseline}, text, width + 1);
  }

  /// Where a block lies in the highest column, if it has no label of its own there.
  struct Member {
    std::string name;
    BlockRun run;
  };

  [[nodiscard]] std::vector<Member> members(std::size_t column) const {
    std::vector<Member> found;
    for (const BlockShape& shape : picture_.stack->shapes) {
      const auto run = std::ranges::find_if(shape.runs, [column](const BlockRun& one) {
        return column >= one.begin && column < one.end;
      });
      // A bundle has a label of its own.
      if (run != shape.runs.end() && shape.count == 1) {
        found.push_back({name_of(shape).text, *run});
      }
    }
    return found;
  }

  /// Neighbours of one name that are each too low for a label get one together, where most is
  /// alive.
  void group_labels() {
    const auto& heights = picture_.stack->heights;
    if (heights.empty()) {
      return;
    }
    const auto highest = std::ranges::max_element(heights) - heights.begin();
    const auto all = members(static_cast<std::size_t>(highest));
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      while (end < all.size() && all[end].name == all[begin].name &&
             all[end].run.bottom == all[end - 1].run.top()) {
        ++end;
      }
      if (end - begin > 1) {
        group_label(all[begin], all[(begin + end) / 2], all[end - 1], end - begin);
      }
      begin = end;
    }
  }

  void group_label(const Member& first,
                   const Member& middle,
                   const Member& last,
                   std::size_t count) {
    const picture::TextLook look{look_.type.small, look_.theme.ink};
    const double top = y_of(last.run.top());
    const double bottom = y_of(first.run.bottom);
    const double width = static_cast<double>(middle.run.end - middle.run.begin) - look_.px(16);
    const bool has_own_labels = (bottom - top) / static_cast<double>(count) >= look.size * 1.3;
    if (has_own_labels || bottom - top < look.size * 1.6 || width < look_.px(50)) {
      return;
    }
    const std::string rest = fmt::format(
        "  {} in {} blocks", analyzer::format_size(last.run.top() - first.run.bottom), count);
    std::string text = first.name + rest;
    for (const std::string& shorter : {last_parts(first.name) + rest, last_parts(first.name)}) {
      text = pen_.width_of(look, text) <= width ? text : shorter;
    }
    const double shown = std::min(pen_.width_of(look, text), width);
    const double right = place_.x + static_cast<double>(middle.run.end) - look_.px(8);
    const double pad = look_.px(4);
    const double baseline = picture::middle_baseline(top, bottom, look.size);
    const Box backdrop = picture::text_box({right - shown, baseline}, shown, look.size);
    pen_.fill(Part::kBackdrop, picture::faded(look_.theme.background, 0.8),
              Box{backdrop.x - pad, backdrop.y, backdrop.width + 2 * pad, backdrop.height});
    pen_.text(look, picture::Anchor::kLeft, {right - shown, baseline}, text, width);
  }

  picture::Pen pen_;
  const BlockPicture& picture_;
  const Box& place_;
  const Look& look_;
  std::vector<BlockName> names_;  // Of the stack's shapes.
};

}  // namespace

void draw_blocks(picture::Scene& scene,
                 const BlockPicture& picture,
                 const Box& place,
                 const Look& look) {
  BlockPainter(scene, picture, place, look).draw();
}

}  // namespace tidemark::gui
