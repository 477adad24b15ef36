/// Cuts the timeline's place in the window into its boxes.
#pragma once

#include "gui/view/basics/look.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::gui {

/// What there is to make room for.
struct TimelineContents {
  struct Panel {
    std::size_t phase_rows = 0;
    bool has_progress = false;
  };
  std::vector<Panel> panels;  ///< One a trace.
  bool overlaid = false;      ///< Both traces in one plot.
  bool has_difference = false;
  std::size_t axis_rows = 1;  ///< Its ticks, and its caption.
  double left_labels = 0;     ///< Widest label beside the plots.
  double right_labels = 0;
};

struct PanelBoxes {
  picture::Box header;
  picture::Box plot;
  std::vector<picture::Box> phases;  ///< One a row, perhaps fewer than asked for.
  picture::Box progress;             ///< Empty: there is none.
};

/// Boxes do not overlap. Plots start and end at the same whole pixels; `columns` is their width.
/// Where traces are overlaid, their `plot` is the same box.
struct TimelineLayout {
  std::vector<PanelBoxes> panels;
  picture::Box difference_header;  ///< Empty: there is no difference. So the next.
  picture::Box difference;
  picture::Box axis;
  std::size_t columns = 0;
};

/// The part of a row of the window that is on the timeline's axis: as wide as its plots, pixel
/// below pixel.
picture::Box on_time_axis(const picture::Box& row, const Look& look);

/// `place` is where the whole timeline goes. What gives way first where it is low: the difference,
/// second rows of phases, reading progress.
TimelineLayout lay_out(const TimelineContents& wanted, const picture::Box& place, const Look& look);

}  // namespace tidemark::gui
