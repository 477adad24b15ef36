/// One trace of the timeline: its frame, header and peak, and what its other parts share.
#pragma once

#include "analyzer/plot/panel.hpp"
#include "gui/view/timeline_picture.hpp"

#include <span>
#include <string>

namespace tidemark::gui {

/// What the panels have in common. All stays borrowed.
struct PanelContext {
  const TimelineInput& input;
  const Look& look;
  const plot::SizeAxis& sizes;
  std::span<const plot::AxisTick> ticks;  ///< x in view: 0 to 1.
  bool shows_file_mappings = false;
};

/// The middle of the pixel, so that a line of one pixel is one.
double crisp(double at);

/// Values beyond the axis stay at its edge.
double y_of(const plot::SizeAxis& sizes, const plot::Box& plot, double bytes);

void draw_frame(plot::Pen& pen, const PanelContext& context, const plot::Box& plot);

/// `role`: `before`, `after` or empty.
void draw_header(plot::Pen& pen,
                 const PanelContext& context,
                 const PanelBoxes& boxes,
                 const std::string& role,
                 const TimelineTrace& trace);

/// The peak's mark and label, where it is in view. @return what the label covers; empty: not shown.
/// `taken` is a box the label must not touch.
plot::Box draw_peak(plot::Pen& pen,
                    const PanelContext& context,
                    const plot::Box& plot,
                    const TimelineTrace& trace,
                    const plot::Warp& warp,
                    const plot::Box& taken);

}  // namespace tidemark::gui
