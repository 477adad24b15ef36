#include "gui/view/timeline/timeline_layout.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

constexpr double kMinPlotPixels = 70;

/// Heights of the rows, in pixels.
struct Heights {
  double header;
  double phase;
  double progress;
  double gap;
  double axis;
  double difference;

  explicit Heights(const Look& look)
      : header(std::round(look.type.text * 1.7)),
        phase(std::round(look.type.small * 1.45)),
        progress(std::round(look.px(7))),
        gap(std::round(look.px(3))),
        axis(std::round(look.type.small * 1.6)),
        difference(std::round(look.px(46))) {}
};

double height_below(const TimelineContents::Panel& panel, const Heights& heights) {
  const double phases = static_cast<double>(panel.phase_rows) * (heights.phase + heights.gap / 3);
  return phases + (panel.has_progress ? heights.progress + heights.gap : 0) + heights.gap;
}

double height_of_plots(const TimelineContents& contents, const Heights& heights, double all) {
  double rest = all - heights.axis * static_cast<double>(contents.axis_rows);
  for (const auto& panel : contents.panels) {
    rest -= heights.header + height_below(panel, heights);
  }
  if (contents.has_difference) {
    rest -= heights.header + heights.difference;
  }
  const auto plots = contents.overlaid ? std::size_t{1} : contents.panels.size();
  return std::floor(rest / static_cast<double>(std::max<std::size_t>(plots, 1)));
}

/// Drops contents, least important first, until the plots are high enough.
TimelineContents fitted(TimelineContents contents,
                        const Heights& heights,
                        double all,
                        double least) {
  const auto is_high_enough = [&] { return height_of_plots(contents, heights, all) >= least; };
  for (auto& panel : contents.panels) {
    if (!is_high_enough()) {
      panel.phase_rows = std::min<std::size_t>(panel.phase_rows, 1);
    }
  }
  if (!is_high_enough()) {
    contents.has_difference = false;
  }
  for (auto& panel : contents.panels) {
    panel.has_progress = panel.has_progress && is_high_enough();
  }
  for (auto& panel : contents.panels) {
    panel.phase_rows = is_high_enough() ? panel.phase_rows : 0;
  }
  return contents;
}

class Stacker {
 public:
  Stacker(const picture::Box& place, double left, double right)
      : y_(place.y),
        place_(place),
        x_(std::floor(place.x + left)),
        right_(std::floor(place.right() - right)) {}

  picture::Box plot_row(double height) { return row(x_, std::max(right_ - x_, 1.0), height); }
  picture::Box full_row(double height) { return row(place_.x, place_.width, height); }
  void skip(double height) { y_ += height; }

 private:
  picture::Box row(double x, double width, double height) {
    const picture::Box box{x, y_, width, height};
    y_ += height;
    return box;
  }

  double y_;
  const picture::Box& place_;
  double x_;
  double right_;
};

void add_rows_below(PanelBoxes& boxes,
                    const TimelineContents::Panel& panel,
                    const Heights& heights,
                    Stacker& stacker) {
  stacker.skip(heights.gap);
  for (std::size_t i = 0; i < panel.phase_rows; ++i) {
    boxes.phases.push_back(stacker.plot_row(heights.phase));
    stacker.skip(heights.gap / 3);
  }
  if (panel.has_progress) {
    boxes.progress = stacker.plot_row(heights.progress);
    stacker.skip(heights.gap);
  }
}

}  // namespace

picture::Box on_time_axis(const picture::Box& row, const Look& look) {
  const double left =
      std::floor(row.x + look.measure("1023 MiB", look.type.small, false) + look.px(8));
  const double right =
      std::floor(row.right() - look.measure("10W", look.type.small, false) - look.px(8));
  return {left, row.y, std::max(right - left, 1.0), row.height};
}

TimelineLayout lay_out(const TimelineContents& wanted,
                       const picture::Box& place,
                       const Look& look) {
  const Heights heights(look);
  const TimelineContents contents = fitted(wanted, heights, place.height, look.px(kMinPlotPixels));
  const double gutter = look.px(8);
  Stacker stacker(place, contents.left_labels + gutter, contents.right_labels + gutter);
  const double plot = std::max(height_of_plots(contents, heights, place.height), 1.0);
  TimelineLayout layout;
  layout.panels.resize(contents.panels.size());
  if (contents.overlaid) {
    for (auto& panel : layout.panels) {
      panel.header = stacker.plot_row(heights.header);
    }
    const picture::Box shared = stacker.plot_row(plot);
    for (std::size_t i = 0; i < layout.panels.size(); ++i) {
      layout.panels[i].plot = shared;
      add_rows_below(layout.panels[i], contents.panels[i], heights, stacker);
    }
  } else {
    for (std::size_t i = 0; i < layout.panels.size(); ++i) {
      layout.panels[i].header = stacker.plot_row(heights.header);
      layout.panels[i].plot = stacker.plot_row(plot);
      add_rows_below(layout.panels[i], contents.panels[i], heights, stacker);
    }
  }
  if (contents.has_difference) {
    layout.difference_header = stacker.plot_row(heights.header);
    layout.difference = stacker.plot_row(heights.difference);
  }
  layout.axis = stacker.plot_row(heights.axis * static_cast<double>(contents.axis_rows));
  layout.columns =
      layout.panels.empty() ? 0 : static_cast<std::size_t>(layout.panels.front().plot.width);
  return layout;
}

}  // namespace tidemark::gui
