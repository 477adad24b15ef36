/// The curves of one trace: lanes, file mappings, RSS, multiples of the model.
#pragma once

#include "gui/view/timeline/timeline_panel.hpp"

namespace tidemark::gui {

/// How a trace's footprint is drawn.
enum class PanelStyle {
  kLanes,   ///< Stacked lanes.
  kShadow,  ///< A grey area and its edge, behind another trace's lanes.
};

void draw_curves(picture::Pen& pen,
                 const PanelContext& context,
                 const picture::Box& plot,
                 PanelStyle style,
                 const TimelineTrace& trace,
                 const picture::Warp& warp);

/// The edge of the other trace's footprint, over the lanes.
void draw_other_edge(picture::Pen& pen,
                     const PanelContext& context,
                     const picture::Box& plot,
                     const TimelineTrace& other);

}  // namespace tidemark::gui
