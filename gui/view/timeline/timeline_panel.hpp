/// One trace of the timeline: its frame, header and peak, and what its other parts share.
#pragma once

#include "analyzer/picture/panel.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/timeline/timeline_input.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

#include <span>
#include <string>

namespace tidemark::gui {

/// What the panels have in common. All stays borrowed.
struct PanelContext {
  const TimelineInput& input;
  const Look& look;
  const picture::SizeAxis& sizes;
  std::span<const picture::AxisTick> ticks;  ///< x in view: 0 to 1.
  bool shows_file_mappings = false;
};

/// The middle of the pixel, so that a line of one pixel is one.
double crisp(double at);

/// Values beyond the axis stay at its edge.
double y_of(const picture::SizeAxis& sizes, const picture::Box& plot, double bytes);

void draw_frame(picture::Pen& pen, const PanelContext& context, const picture::Box& plot);

/// `role`: `before`, `after` or empty.
void draw_header(picture::Pen& pen,
                 const PanelContext& context,
                 const PanelBoxes& boxes,
                 const std::string& role,
                 const TimelineTrace& trace);

/// The peak's mark and label, where it is in view. @return what the label covers; empty: not shown.
/// `taken` is a box the label must not touch.
picture::Box draw_peak(picture::Pen& pen,
                       const PanelContext& context,
                       const picture::Box& plot,
                       const TimelineTrace& trace,
                       const picture::Warp& warp,
                       const picture::Box& taken);

}  // namespace tidemark::gui
