/// What stands below the curves of one trace: phases and reading progress.
#pragma once

#include "gui/view/timeline_panel.hpp"

namespace tidemark::gui {

void draw_below(plot::Pen& pen,
                const PanelContext& context,
                const PanelBoxes& boxes,
                const TimelineTrace& trace,
                const plot::Warp& warp);

}  // namespace tidemark::gui
