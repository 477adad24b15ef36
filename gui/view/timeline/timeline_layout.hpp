/// Cuts the timeline's place in the window into its boxes.
#pragma once

#include "gui/view/basics/look.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::gui {

/// The contents that need room.
struct TimelineContents {
  struct Panel {
    std::size_t phase_rows = 0;
    bool has_progress = false;
  };
  std::vector<Panel> panels;  ///< One per trace.
  bool overlaid = false;      ///< Both traces in one plot.
  bool has_difference = false;
  std::size_t axis_rows = 1;  ///< Its ticks, and its caption.
  double left_labels = 0;     ///< Widest label beside the plots.
  double right_labels = 0;
};

struct PanelBoxes {
  picture::Box header;
  picture::Box plot;
  std::vector<picture::Box> phases;  ///< One per row, perhaps fewer than asked for.
  picture::Box progress;             ///< Empty: there is none.
};

/// Boxes do not overlap. Plots start and end at the same whole pixels; `columns` is their width. If
/// traces are overlaid, they have the same `plot`.
struct TimelineLayout {
  std::vector<PanelBoxes> panels;
  picture::Box difference_header;  ///< This and the next: empty if there is no difference.
  picture::Box difference;
  picture::Box axis;
  std::size_t columns = 0;
};

/// The part of a row of the window that is exactly below or above the timeline's plots.
picture::Box on_time_axis(const picture::Box& row, const Look& look);

/// `place` is for the whole timeline. If it is too low, these are dropped in turn: further rows of
/// phases, the difference, reading progress, the first rows of phases.
TimelineLayout lay_out(const TimelineContents& wanted, const picture::Box& place, const Look& look);

}  // namespace tidemark::gui
