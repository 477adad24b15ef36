#include "gui/view/activity/activity_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Part;

constexpr int kShades = 12;

class ActivityPainter {
 public:
  ActivityPainter(picture::Scene& scene,
                  const ActivityInput& input,
                  const Box& place,
                  const Look& look)
      : pen_(scene, look.measure),
        input_(input),
        activity_(*input.activity),
        place_(place),
        look_(look) {
    for (const std::uint64_t border : activity_.borders) {
      edges_.push_back(input.range.share_of(input.warp->x_of(border)));
    }
    for (const ThreadRow& thread : activity_.threads) {
      for (const ThreadColumn& column : thread.columns) {
        most_ = std::max(most_, column.bytes);
      }
    }
  }

  /// Continues the timeline's ticks through all rows.
  void grid(std::span<const picture::AxisTick> ticks) {
    const double width = place_.width - input_.left;
    for (const picture::AxisTick& tick : ticks) {
      const double x = std::floor(place_.x + input_.left + tick.x * width) + 0.5;
      pen_.stroke(Part::kGrid, look_.theme.grid, 1, {{x, place_.y}, {x, place_.bottom()}});
    }
  }

  void row(const ActivityRow& row) {
    if (row.kind == ActivityRow::Kind::kHeading) {
      const picture::TextLook soft{look_.type.small, look_.theme.soft};
      const double left = place_.x + look_.px(4);
      cut_grid({left, row.box.y, pen_.width_of(soft, row.name), row.box.height});
      pen_.text(soft, picture::Anchor::kLeft,
                {left, picture::middle_baseline(row.box.y, row.box.bottom(), soft.size)}, row.name,
                place_.width);
      return;
    }
    name(row);
    for (const ActivityLane& lane : row.lanes) {
      pen_.fill(Part::kGrid, picture::mixed(look_.theme.phases[0], look_.theme.background, 0.5),
                lane.box);
      if (lane.kind == ActivityLane::Kind::kAllocations) {
        marks(activity_.threads[row.index].columns, lane.box);
      } else {
        bars(row, lane);
      }
    }
  }

  void outline(const Box& box) {
    const double left = box.x - 0.5;
    const double right = box.right() + 0.5;
    pen_.stroke(Part::kProgress, look_.theme.ink, 1,
                {{left, box.y},
                 {right, box.y},
                 {right, box.bottom()},
                 {left, box.bottom()},
                 {left, box.y}});
  }

 private:
  void name(const ActivityRow& row) {
    const picture::TextLook look{look_.type.small, look_.theme.ink};
    const double line = std::round(look.size * 1.5);
    const double baseline = picture::middle_baseline(row.box.y, row.box.y + line, look.size);
    const double left = place_.x + input_.left;
    constexpr double kNamesPart = 0.6;  // At most, if there is more to say.
    const double room = (place_.right() - left) * (row.facts.empty() ? 1 : kNamesPart);
    const picture::TextLook soft{look.size, look_.theme.soft};
    const double name_width = std::min(pen_.width_of(look, row.name), room);
    const double facts_width = row.facts.empty() ? 0 : look_.px(8) + pen_.width_of(soft, row.facts);
    cut_grid({left, row.box.y, name_width + facts_width, line});
    const Box shown = pen_.text(look, picture::Anchor::kLeft, {left, baseline}, row.name, room);
    const double beside = std::max(shown.right(), left) + look_.px(8);
    pen_.text(soft, picture::Anchor::kLeft, {beside, baseline}, row.facts, place_.right() - beside);
  }

  /// Clears the grid behind a text: the line at the begin of the axis would cross first letters.
  void cut_grid(const Box& text) {
    const double pad = look_.px(2);
    const double right = std::min(text.right() + pad, place_.right());
    pen_.fill(Part::kGrid, look_.theme.background,
              Box{text.x - pad, text.y, right - (text.x - pad), text.height});
  }

  void bars(const ActivityRow& row, const ActivityLane& lane) {
    double painted = lane.box.x;
    for (std::size_t i = 0; i < lane.bars.size(); ++i) {
      const ActivityBar& bar = lane.bars[i];
      if (bar.box.right() <= painted && bar.box.width <= look_.px(2)) {
        continue;  // Hidden under another bar.
      }
      painted = std::max(painted, bar.box.right());
      if (bar.phase) {
        pen_.fill(Part::kPhase, gui::colour_of(number_of(row.name), look_.dark), bar.box);
        continue;
      }
      pen_.fill(Part::kProgress, colour_of(bar.reads), bar.box);
      const bool is_last = i + 1 == lane.bars.size();
      const double next = is_last ? lane.box.right() : lane.bars[i + 1].box.x;
      // A bar that begins inside of it hides its end.
      label(row, bar, std::max(std::min(bar.box.right(), next), bar.box.x), next);
    }
  }

  /// A file has the same colour wherever it is read.
  [[nodiscard]] picture::Colour colour_of(const ReadStretch& reads) const {
    return reads.is_mapping
               ? look_.theme.lane(trace::Lane::kFile)
               : gui::colour_of(number_of(activity_.files[reads.file].path), look_.dark);
  }

  /// Draws as much of the label as fits in the bar, or between it and the next one.
  void label(const ActivityRow& row, const ActivityBar& bar, double end, double next) {
    const std::string what = reads_text(bar.reads);
    const std::string file = short_path(activity_.files[bar.reads.file].path);
    const std::string& thread = activity_.threads[bar.reads.thread].name;
    const std::string who = row.kind == ActivityRow::Kind::kFile     ? thread
                            : row.kind == ActivityRow::Kind::kThread ? file
                                                                     : file + ", " + thread;
    const double pad = look_.px(4);
    const double baseline = picture::middle_baseline(bar.box.y, bar.box.bottom(), look_.type.small);
    const picture::TextLook inside{look_.type.small, look_.theme.ink};
    const picture::TextLook beside{look_.type.small, look_.theme.soft};
    const std::string& least = row.kind == ActivityRow::Kind::kFile ? what : file;
    for (const std::string& text : {who + ", " + what, least}) {
      const double width = pen_.width_of(inside, text) + 2 * pad;
      if (width <= end - bar.box.x) {
        pen_.text(inside, picture::Anchor::kLeft, {bar.box.x + pad, baseline}, text);
        return;
      }
      if (end >= bar.box.right() && width <= next - bar.box.right()) {
        pen_.text(beside, picture::Anchor::kLeft, {bar.box.right() + pad, baseline}, text);
        return;
      }
    }
  }

  /// Cells of two pixels, each in the shade of its busiest column. There are few shades, so that
  /// equal neighbours can be one shape: a row that is always busy has a thousand cells.
  void marks(const std::vector<ThreadColumn>& columns, const Box& box) {
    const double width = look_.px(2);
    std::vector<int> shades(static_cast<std::size_t>(std::max(std::ceil(box.width / width), 1.0)),
                            0);
    const auto last = static_cast<double>(shades.size() - 1);
    for (const ThreadColumn& column : columns) {
      const std::size_t c = column.column;
      if (column.bytes == 0 || edges_[c + 1] < 0 || edges_[c] > 1) {
        continue;
      }
      const double from = std::floor(std::max(edges_[c], 0.0) * box.width / width);
      const double to = std::ceil(std::min(edges_[c + 1], 1.0) * box.width / width);
      const int shade = shade_of(column.bytes);
      auto cell = static_cast<std::size_t>(std::min(from, last));
      do {
        shades[cell] = std::max(shades[cell], shade);
      } while (++cell < shades.size() && static_cast<double>(cell) < to);
    }
    fill_runs(shades, width, box);
  }

  /// 1 to kShades, by the square root, so that little can be seen beside much.
  [[nodiscard]] int shade_of(std::uint64_t bytes) const {
    const double share = std::sqrt(static_cast<double>(bytes) / static_cast<double>(most_));
    return static_cast<int>(std::ceil(share * kShades));
  }

  void fill_runs(const std::vector<int>& shades, double width, const Box& box) {
    const picture::Colour colour = look_.theme.lane(trace::Lane::kHeap);
    for (std::size_t begin = 0; begin < shades.size();) {
      const auto differs = [&](int shade) { return shade != shades[begin]; };
      const auto from = shades.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto end =
          static_cast<std::size_t>(std::find_if(from, shades.end(), differs) - shades.begin());
      if (shades[begin] > 0) {
        const double left = box.x + static_cast<double>(begin) * width;
        const double right = std::min(box.x + static_cast<double>(end) * width, box.right());
        const double share = static_cast<double>(shades[begin]) / kShades;
        pen_.fill(Part::kProgress,
                  picture::mixed(colour, look_.theme.background, 0.2 + 0.8 * share),
                  Box{left, box.y, right - left, box.height});
      }
      begin = end;
    }
  }

  picture::Pen pen_;
  const ActivityInput& input_;
  const Activity& activity_;
  const Box& place_;
  const Look& look_;
  std::vector<double> edges_;  // The activity's borders, as shares of the view.
  std::uint64_t most_ = 1;     // Bytes that any thread allocated in a column.
};

}  // namespace

void draw_activity(picture::Scene& scene,
                   const ActivityInput& input,
                   const ActivityLayout& layout,
                   std::span<const picture::AxisTick> ticks,
                   const ActivityPlace& pointed_at,
                   const Box& place,
                   const Look& look) {
  ActivityPainter painter(scene, input, place, look);
  painter.grid(ticks);
  for (const ActivityRow& row : layout.rows) {
    painter.row(row);
  }
  if (pointed_at.bar != nullptr) {
    painter.outline(pointed_at.bar->box);
  }
}

}  // namespace tidemark::gui
