/// What stands below the curves of one trace: phases and reading progress.
#pragma once

#include "gui/view/timeline/timeline_panel.hpp"

namespace tidemark::gui {

void draw_below(picture::Pen& pen,
                const PanelContext& context,
                const PanelBoxes& boxes,
                const TimelineTrace& trace,
                const picture::Warp& warp);

}  // namespace tidemark::gui
