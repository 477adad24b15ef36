/// Draws the timeline of the traces over the part of the axis in view.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/timeline/timeline_input.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

namespace tidemark::gui {

/// Comes before asking for columns: their number is the width of the plots in pixels.
TimelineLayout lay_out_timeline(const TimelineInput& input,
                                const picture::Box& place,
                                const Look& look);

/// Adds to `scene`, whose size and background stay as they are.
void draw_timeline(picture::Scene& scene,
                   const TimelineInput& input,
                   const TimelineLayout& layout,
                   const Look& look);

}  // namespace tidemark::gui
