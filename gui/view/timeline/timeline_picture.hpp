/// The timeline: traces and the part of the axis in view in, shapes out.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/timeline/timeline_input.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

namespace tidemark::gui {

/// The width of the plots in pixels decides how many columns are asked for, so the layout comes
/// first.
TimelineLayout lay_out_timeline(const TimelineInput& input,
                                const picture::Box& place,
                                const Look& look);

/// Fills `scene`, whose size and background stay as they are.
void draw_timeline(picture::Scene& scene,
                   const TimelineInput& input,
                   const TimelineLayout& layout,
                   const Look& look);

}  // namespace tidemark::gui
