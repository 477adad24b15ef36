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

  void draw() {
    axis();
    if (picture_.hill != nullptr) {
      draw_hill(pen_, *picture_.hill, {picture_.stack->heights, picture_.highest, place_, look_});
    } else {
      band();
    }
    for (const BlockShape& shape : picture_.stack->shapes) {
      block(shape);
    }
    if (hovered_) {
      outline_spot(*hovered_);
    }
    if (picture_.pinned) {
      outline_all(*picture_.pinned);
    }
    for (const BlockArrow& arrow : picture_.arrows) {
      if (const auto shaft = shaft_of(arrow)) {
        shafts_.push_back(*shaft);
        draw_shaft(*shaft);
      }
    }
    for (const BlockShape& shape : picture_.stack->shapes) {
      label(shape);
    }
    group_labels();
    row_labels();
    arrow_texts();
  }

 private:
  /// The spot of a block by its number; none: it is not drawn.
  [[nodiscard]] std::optional<BlockSpot> spot_of(std::optional<std::uint64_t> allocation) const {
    const auto& blocks = picture_.list->blocks;
    const auto block =
        allocation ? std::ranges::find(blocks, *allocation, &LongBlock::allocation) : blocks.end();
    return block == blocks.end() ? std::nullopt
                                 : gui::spot_of(*picture_.list, *picture_.stack,
                                                static_cast<std::size_t>(block - blocks.begin()));
  }

  /// A block that grows in place is listed once for each size, side by side: draws one edge around
  /// all of them.
  void outline_all(std::uint64_t allocation) {
    const auto& blocks = picture_.list->blocks;
    std::vector<BlockRun> runs;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto spot = blocks[i].allocation == allocation
                            ? gui::spot_of(*picture_.list, *picture_.stack, i)
                            : std::nullopt;
      if (spot) {
        fill(spot->runs, colour_of(picture_.stack->shapes[spot->shape]));
        runs.insert(runs.end(), spot->runs.begin(), spot->runs.end());
      }
    }
    std::ranges::stable_sort(runs, {}, &BlockRun::begin);
    edge(runs);
  }

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

  [[nodiscard]] bool is_pointed_at(const BlockShape& shape) const {
    return hovered_ && &shape == &picture_.stack->shapes[hovered_->shape];
  }

  /// A shape pointed at takes precedence over what is lit.
  [[nodiscard]] bool stands_back(const BlockShape& shape) const {
    return picture_.hovered ? !is_pointed_at(shape)
                            : picture_.lit && !picture_.lit(picture_.list->blocks[shape.block]);
  }

  void block(const BlockShape& shape) {
    constexpr double kBack = 0.55;
    constexpr double kAroundTheOne = 0.82;  // For the rest of a bundle with a block pointed at.
    const double share = stands_back(shape)                        ? kBack
                         : is_pointed_at(shape) && shape.count > 1 ? kAroundTheOne
                                                                   : 1;
    fill(shape.runs, picture::mixed(name_of(shape).colour, look_.theme.background, share));
  }

  void fill(const std::vector<BlockRun>& runs, const picture::Colour& colour) {
    for (std::vector<Point>& points : outlines(runs)) {
      pen_.fill(Part::kLane, colour, std::move(points));
    }
  }

  /// In its own colour, with an edge.
  void outline_spot(const BlockSpot& spot) {
    fill(spot.runs, colour_of(picture_.stack->shapes[spot.shape]));
    edge(spot.runs);
  }

  [[nodiscard]] picture::Colour colour_of(const BlockShape& shape) const {
    const picture::Colour colour = name_of(shape).colour;
    return stands_back(shape) ? picture::mixed(colour, look_.theme.background, 0.55) : colour;
  }

  void edge(const std::vector<BlockRun>& runs) {
    for (std::vector<Point>& points : outlines(runs)) {
      points.push_back(points.front());
      pen_.stroke(Part::kLane, look_.theme.ink, look_.px(2), std::move(points));
    }
  }

  /// Draws the label inside the shape's longest stretch, if it fits.
  void label(const BlockShape& shape) {
    picture::TextLook look{look_.type.small, look_.theme.ink};
    const double unit = static_cast<double>(picture_.highest) / place_.height;  // Bytes a pixel.
    const auto lowest = static_cast<std::uint64_t>(unit * look.size * 1.3);
    // Where much of it is alive, not at the thin begin of a growing bundle.
    const BlockStretch stretch = label_stretch(shape, std::max(lowest, shape.most / 2));
    const double baseline =
        picture::middle_baseline(y_of(stretch.top), y_of(stretch.bottom), look.size);
    const double right = place_.x + static_cast<double>(stretch.end) - look_.px(5);
    const double left =
        beside_shafts(place_.x + static_cast<double>(stretch.begin) + look_.px(5), baseline, right);
    const double width = right - left;
    if (width < look_.px(50)) {
      return;
    }
    const BlockName& named = name_of(shape);
    look.colour = stands_back(shape) ? look_.theme.ink : picture::ink_on(named.colour);
    // What a block holds says more than who asked for it.
    const bool has_content = shape.count == 1 && !named.content.empty();
    const std::string& name = has_content ? named.content : named.text;
    std::string full = full_label(shape, name);
    if (has_content && pen_.width_of(look, full + "  " + named.text) <= width) {
      full += "  " + named.text;
    }
    pen_.text(look, picture::Anchor::kLeft, {left, baseline},
              pen_.width_of(look, full) <= width ? full : last_parts(name), width);
  }

  /// Where a line of text must begin so as not to cover an arrow: right of those that cross it.
  [[nodiscard]] double beside_shafts(double left, double baseline, double right) const {
    const Box line = picture::text_box({left, baseline}, right - left, look_.type.small);
    for (const Shaft& shaft : shafts_) {
      const Box box = shaft.box(head());
      left = overlap(line, box) ? std::max(left, box.right() + look_.px(4)) : left;
    }
    return left;
  }

  [[nodiscard]] static std::string full_label(const BlockShape& shape, const std::string& name) {
    const std::string size = analyzer::format_size(shape.most);
    return shape.count == 1 ? name + "  " + size
                            : fmt::format("{} blocks of {}  {}",
                                          analyzer::format_count(shape.count), name, size);
  }

  /// The middle of a block in a column, or in the last column before that has it; none: it is not
  /// drawn.
  [[nodiscard]] std::optional<double> middle_of(std::optional<std::uint64_t> allocation,
                                                double column) const {
    const auto spot = spot_of(allocation);
    if (!spot || spot->runs.empty()) {
      return std::nullopt;
    }
    const auto next = std::ranges::partition_point(
        spot->runs, [&](const BlockRun& run) { return static_cast<double>(run.begin) <= column; });
    const BlockRun& run = next == spot->runs.begin() ? *next : *std::prev(next);
    return (y_of(run.bottom) + y_of(run.top())) / 2;
  }

  /// Half as wide as an arrow's head.
  [[nodiscard]] double head() const { return look_.px(5); }

  /// A vertical arrow, with a bar at its foot.
  struct Shaft {
    double x = 0;
    double from = 0;
    double to = 0;
    double bar_left = 0;
    double bar_right = 0;
    const std::string* text = nullptr;

    [[nodiscard]] Box box(double head) const {
      return {x - head, std::min(from, to), 2 * head, std::abs(from - to)};
    }
  };

  /// Drawn last, where they hide neither each other nor an arrow.
  void arrow_texts() {
    std::vector<Box> taken = texts_so_far();
    for (const Shaft& shaft : shafts_) {
      arrow_text(shaft, taken);
    }
  }

  /// A bar over the time in which the bytes went, with an arrow from its middle. If the source is
  /// not a shown block, the arrow comes from the axis below, where files are.
  [[nodiscard]] std::optional<Shaft> shaft_of(const BlockArrow& arrow) const {
    const double right = static_cast<double>(picture_.columns->size());
    if (arrow.last < 0 || arrow.first > right) {
      return std::nullopt;
    }
    const double first = std::clamp(arrow.first, 0.0, right);
    const double last = std::clamp(arrow.last, first, right);
    const double column = (first + last) / 2;
    const Shaft shaft{.x = std::floor(place_.x + column) + 0.5,
                      .from = middle_of(arrow.from, column).value_or(place_.bottom()),
                      .to = middle_of(arrow.to, column).value_or(place_.bottom()),
                      .bar_left = place_.x + first,
                      .bar_right = place_.x + last,
                      .text = &arrow.text};
    return std::abs(shaft.from - shaft.to) < look_.px(4) ? std::nullopt : std::optional(shaft);
  }

  void draw_shaft(const Shaft& shaft) {
    const double head = this->head();
    const double back = shaft.to < shaft.from ? head : -head;
    const picture::Colour lining = picture::faded(look_.theme.background, 0.85);
    const std::vector<Point> line{{shaft.x, shaft.from}, {shaft.x, shaft.to}};
    const std::vector<Point> bar{{shaft.bar_left, shaft.from}, {shaft.bar_right, shaft.from}};
    for (const auto& [colour, width] :
         {std::pair(lining, look_.px(4)), std::pair(look_.theme.ink, look_.px(1.6))}) {
      pen_.stroke(Part::kLegend, colour, width, line);
      if (shaft.bar_right - shaft.bar_left > 2) {
        pen_.stroke(Part::kLegend, colour, width, bar);
      }
    }
    pen_.fill(Part::kLegend, look_.theme.ink,
              {{shaft.x, shaft.to},
               {shaft.x - head, shaft.to + 1.6 * back},
               {shaft.x + head, shaft.to + 1.6 * back}});
  }

  /// The boxes of this picture's texts drawn so far.
  [[nodiscard]] std::vector<Box> texts_so_far() const {
    std::vector<Box> found;
    for (const auto& item : std::span(scene_.items).subspan(first_item_)) {
      if (const auto* const label = std::get_if<picture::Label>(&item)) {
        found.push_back(label->box);
      }
    }
    return found;
  }

  static bool overlap(const Box& one, const Box& other) {
    return one.x < other.right() && other.x < one.right() && one.y < other.bottom() &&
           other.y < one.bottom();
  }

  /// Beside the shaft, as near to its middle as there is room. If there is none, leaves the text
  /// out: the panel of a pinned block lists what came and went.
  void arrow_text(const Shaft& shaft, std::vector<Box>& taken) {
    const picture::TextLook look{look_.type.small, look_.theme.ink};
    const double width = pen_.width_of(look, *shaft.text);
    const double gap = look_.px(8);
    const double step = look.size * 1.5;
    const double middle = (shaft.from + shaft.to) / 2;
    const auto steps = static_cast<int>(std::abs(shaft.from - middle) / step) + 1;
    const auto is_free = [&](const Box& box) {
      const auto is_hit = [&](const Box& one) { return overlap(box, one); };
      return box.x >= place_.x && box.right() <= place_.right() && box.y >= place_.y &&
             box.bottom() <= place_.bottom() && std::ranges::none_of(taken, is_hit) &&
             std::ranges::none_of(shafts_,
                                  [&](const Shaft& one) { return is_hit(one.box(head())); });
    };
    for (int i = 0; i <= 2 * steps; ++i) {
      const double y = middle + (i % 2 == 0 ? 1 : -1) * ((i + 1) / 2) * step;
      for (const double left : {shaft.x + gap, shaft.x - gap - width}) {
        const double baseline = picture::middle_baseline(y, y, look.size);
        const Box text = picture::text_box({left, baseline}, width, look.size);
        const Box box{text.x - gap / 4, text.y, text.width + gap / 2, text.height};
        if (is_free(box)) {
          pen_.fill(Part::kBackdrop, picture::faded(look_.theme.background, 0.85), box);
          pen_.text(look, picture::Anchor::kLeft, {left, baseline}, *shaft.text, width + 1);
          taken.push_back(box);
          return;
        }
      }
    }
  }

  /// A block without a label of its own in the highest column.
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

  /// Gives neighbours of one name that are each too low for a label a common one, in the highest
  /// column.
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
    const std::vector<Box> taken = texts_so_far();
    const double step = look.size * 0.5;
    // As near to the middle as other labels allow.
    for (int i = 0; i * step < bottom - top - look.size * 1.3; ++i) {
      const double y = (top + bottom) / 2 + (i % 2 == 0 ? 1 : -1) * ((i + 1) / 2) * step;
      const double baseline = picture::middle_baseline(y, y, look.size);
      const Box box = picture::text_box({right - shown, baseline}, shown, look.size);
      const Box backdrop{box.x - pad, box.y, box.width + 2 * pad, box.height};
      if (std::ranges::none_of(taken, [&](const Box& one) { return overlap(backdrop, one); })) {
        pen_.fill(Part::kBackdrop, picture::faded(look_.theme.background, 0.8), backdrop);
        pen_.text(look, picture::Anchor::kLeft, {right - shown, baseline}, text, width);
        return;
      }
    }
  }

  /// Adjacent blocks of one name, each too narrow for a label, such as the sizes of a block that
  /// grows again and again.
  struct Row {
    const std::string* name = nullptr;
    BlockStretch room;
    std::uint64_t most = 0;  ///< The largest of them.
    std::size_t count = 0;
  };

  [[nodiscard]] std::vector<Row> rows() const {
    constexpr std::size_t kOutlook = 32;
    const double unit = static_cast<double>(picture_.highest) / place_.height;
    const auto lowest = static_cast<std::uint64_t>(unit * look_.type.small * 1.3);
    std::vector<Row> rows;
    for (const BlockShape& shape : picture_.stack->shapes) {
      const BlockStretch own = label_stretch(shape, lowest);
      const auto width = static_cast<double>(own.end - own.begin);
      if (shape.count > 1 || width == 0 || width >= look_.px(60)) {
        continue;
      }
      const std::string& name = name_of(shape).text;
      const auto end = rows.rbegin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), kOutlook));
      const auto before = std::find_if(rows.rbegin(), end, [&](const Row& row) {
        return *row.name == name && row.room.end <= own.begin && own.begin <= row.room.end + 1 &&
               std::min(row.room.top, own.top) >= std::max(row.room.bottom, own.bottom) + lowest;
      });
      if (before == end) {
        rows.push_back({&name, own, shape.most, 1});
        continue;
      }
      before->room = {before->room.begin, own.end, std::max(before->room.bottom, own.bottom),
                      std::min(before->room.top, own.top)};
      before->most = std::max(before->most, shape.most);
      ++before->count;
    }
    return rows;
  }

  void row_labels() {
    for (const Row& row : rows()) {
      if (row.count > 1) {
        row_label(row);
      }
    }
  }

  void row_label(const Row& row) {
    const picture::TextLook look{look_.type.small, look_.theme.ink};
    const double pad = look_.px(4);
    const double width =
        static_cast<double>(row.room.end - row.room.begin) - 2 * (pad + look_.px(4));
    if (width < look_.px(50)) {
      return;
    }
    const std::string rest = "  up to " + analyzer::format_size(row.most);
    std::string text = *row.name + rest;
    for (const std::string& shorter : {last_parts(*row.name) + rest, last_parts(*row.name)}) {
      text = pen_.width_of(look, text) <= width ? text : shorter;
    }
    const double shown = std::min(pen_.width_of(look, text), width);
    const double middle =
        place_.x + static_cast<double>(row.room.begin + row.room.end) / 2 - shown / 2;
    const double baseline =
        picture::middle_baseline(y_of(row.room.top), y_of(row.room.bottom), look.size);
    const Box box = picture::text_box({middle, baseline}, shown, look.size);
    const Box backdrop{box.x - pad, box.y, box.width + 2 * pad, box.height};
    if (std::ranges::none_of(texts_so_far(),
                             [&](const Box& one) { return overlap(backdrop, one); })) {
      pen_.fill(Part::kBackdrop, picture::faded(look_.theme.background, 0.8), backdrop);
      pen_.text(look, picture::Anchor::kLeft, {middle, baseline}, text, width);
    }
  }

  picture::Scene& scene_;
  std::size_t first_item_;  // Where this picture begins in the scene.
  picture::Pen pen_;
  const BlockPicture& picture_;
  const Box& place_;
  const Look& look_;
  std::optional<BlockSpot> hovered_;
  std::vector<BlockName> names_;  // Names in the stack's shapes.
  std::vector<Shaft> shafts_;     // Shafts of the arrows in view.
};

}  // namespace

void draw_blocks(picture::Scene& scene,
                 const BlockPicture& picture,
                 const Box& place,
                 const Look& look) {
  BlockPainter(scene, picture, place, look).draw();
}

}  // namespace tidemark::gui
