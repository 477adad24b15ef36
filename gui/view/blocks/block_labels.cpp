#include "gui/view/blocks/block_labels.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/blocks/block_stretch.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Part;

class LabelPainter {
 public:
  LabelPainter(BlockPlot& plot, const ArrowPainter& arrows) : plot_(plot), arrows_(arrows) {}

  void draw() {
    for (const BlockShape& shape : plot_.picture().stack->shapes) {
      label(shape);
    }
    group_labels();
    row_labels();
  }

 private:
  /// Draws the label inside the shape's longest stretch, if it fits.
  void label(const BlockShape& shape) {
    picture::TextLook look{plot_.look().type.small, plot_.look().theme.ink};
    const double unit =
        static_cast<double>(plot_.picture().highest) / plot_.place().height;  // Bytes a pixel.
    const auto lowest = static_cast<std::uint64_t>(unit * look.size * 1.3);
    // Where much of it is alive, not at the thin begin of a growing bundle.
    const BlockStretch stretch = label_stretch(shape, std::max(lowest, shape.most / 2));
    const double baseline =
        picture::middle_baseline(plot_.y_of(stretch.top), plot_.y_of(stretch.bottom), look.size);
    const double right = plot_.place().x + static_cast<double>(stretch.end) - plot_.look().px(5);
    const double left = arrows_.beside_shafts(
        plot_.place().x + static_cast<double>(stretch.begin) + plot_.look().px(5), baseline, right);
    const double width = right - left;
    if (width < plot_.look().px(50)) {
      return;
    }
    const BlockName& named = plot_.name_of(shape);
    look.colour = plot_.stands_back(shape) ? plot_.look().theme.ink : picture::ink_on(named.colour);
    // What a block holds says more than who asked for it.
    const bool has_content = shape.count == 1 && !named.content.empty();
    const std::string& name = has_content ? named.content : named.text;
    std::string full = full_label(shape, name);
    if (has_content && plot_.pen().width_of(look, full + "  " + named.text) <= width) {
      full += "  " + named.text;
    }
    plot_.pen().text(look, picture::Anchor::kLeft, {left, baseline},
                     plot_.pen().width_of(look, full) <= width ? full : last_parts(name), width);
  }

  [[nodiscard]] static std::string full_label(const BlockShape& shape, const std::string& name) {
    const std::string size = analyzer::format_size(shape.most);
    return shape.count == 1 ? name + "  " + size
                            : fmt::format("{} blocks of {}  {}",
                                          analyzer::format_count(shape.count), name, size);
  }

  /// A block without a label of its own in the highest column.
  struct Member {
    std::string name;
    BlockRun run;
  };

  [[nodiscard]] std::vector<Member> members(std::size_t column) const {
    std::vector<Member> found;
    for (const BlockShape& shape : plot_.picture().stack->shapes) {
      const auto run = std::ranges::find_if(shape.runs, [column](const BlockRun& one) {
        return column >= one.begin && column < one.end;
      });
      // A bundle has a label of its own.
      if (run != shape.runs.end() && shape.count == 1) {
        found.push_back({plot_.name_of(shape).text, *run});
      }
    }
    return found;
  }

  /// Gives neighbours of one name that are each too low for a label a common one, in the highest
  /// column.
  void group_labels() {
    const auto& heights = plot_.picture().stack->heights;
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
    const picture::TextLook look{plot_.look().type.small, plot_.look().theme.ink};
    const double top = plot_.y_of(last.run.top());
    const double bottom = plot_.y_of(first.run.bottom);
    const double width =
        static_cast<double>(middle.run.end - middle.run.begin) - plot_.look().px(16);
    const bool has_own_labels = (bottom - top) / static_cast<double>(count) >= look.size * 1.3;
    if (has_own_labels || bottom - top < look.size * 1.6 || width < plot_.look().px(50)) {
      return;
    }
    const std::string rest = fmt::format(
        "  {} in {} blocks", analyzer::format_size(last.run.top() - first.run.bottom), count);
    std::string text = first.name + rest;
    for (const std::string& shorter : {last_parts(first.name) + rest, last_parts(first.name)}) {
      text = plot_.pen().width_of(look, text) <= width ? text : shorter;
    }
    const double shown = std::min(plot_.pen().width_of(look, text), width);
    const double right = plot_.place().x + static_cast<double>(middle.run.end) - plot_.look().px(8);
    const double pad = plot_.look().px(4);
    const std::vector<Box> taken = plot_.texts_so_far();
    const double step = look.size * 0.5;
    // As near to the middle as other labels allow.
    for (int i = 0; i * step < bottom - top - look.size * 1.3; ++i) {
      const double y = (top + bottom) / 2 + (i % 2 == 0 ? 1 : -1) * ((i + 1) / 2) * step;
      const double baseline = picture::middle_baseline(y, y, look.size);
      const Box box = picture::text_box({right - shown, baseline}, shown, look.size);
      const Box backdrop{box.x - pad, box.y, box.width + 2 * pad, box.height};
      if (std::ranges::none_of(taken,
                               [&](const Box& one) { return boxes_overlap(backdrop, one); })) {
        plot_.pen().fill(Part::kBackdrop, picture::faded(plot_.look().theme.background, 0.8),
                         backdrop);
        plot_.pen().text(look, picture::Anchor::kLeft, {right - shown, baseline}, text, width);
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
    const double unit = static_cast<double>(plot_.picture().highest) / plot_.place().height;
    const auto lowest = static_cast<std::uint64_t>(unit * plot_.look().type.small * 1.3);
    std::vector<Row> rows;
    for (const BlockShape& shape : plot_.picture().stack->shapes) {
      const BlockStretch own = label_stretch(shape, lowest);
      const auto width = static_cast<double>(own.end - own.begin);
      if (shape.count > 1 || width == 0 || width >= plot_.look().px(60)) {
        continue;
      }
      const std::string& name = plot_.name_of(shape).text;
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
    const picture::TextLook look{plot_.look().type.small, plot_.look().theme.ink};
    const double pad = plot_.look().px(4);
    const double width =
        static_cast<double>(row.room.end - row.room.begin) - 2 * (pad + plot_.look().px(4));
    if (width < plot_.look().px(50)) {
      return;
    }
    const std::string rest = "  up to " + analyzer::format_size(row.most);
    std::string text = *row.name + rest;
    for (const std::string& shorter : {last_parts(*row.name) + rest, last_parts(*row.name)}) {
      text = plot_.pen().width_of(look, text) <= width ? text : shorter;
    }
    const double shown = std::min(plot_.pen().width_of(look, text), width);
    const double middle =
        plot_.place().x + static_cast<double>(row.room.begin + row.room.end) / 2 - shown / 2;
    const double baseline =
        picture::middle_baseline(plot_.y_of(row.room.top), plot_.y_of(row.room.bottom), look.size);
    const Box box = picture::text_box({middle, baseline}, shown, look.size);
    const Box backdrop{box.x - pad, box.y, box.width + 2 * pad, box.height};
    if (std::ranges::none_of(plot_.texts_so_far(),
                             [&](const Box& one) { return boxes_overlap(backdrop, one); })) {
      plot_.pen().fill(Part::kBackdrop, picture::faded(plot_.look().theme.background, 0.8),
                       backdrop);
      plot_.pen().text(look, picture::Anchor::kLeft, {middle, baseline}, text, width);
    }
  }

  BlockPlot& plot_;
  const ArrowPainter& arrows_;
};

}  // namespace

void draw_block_labels(BlockPlot& plot, const ArrowPainter& arrows) {
  LabelPainter(plot, arrows).draw();
}

}  // namespace tidemark::gui
