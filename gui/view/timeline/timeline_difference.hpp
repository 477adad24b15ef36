/// What the second trace holds more or less than the first, over the axis.
#pragma once

#include "analyzer/picture/pen.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/timeline/timeline_input.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

#include <span>

namespace tidemark::gui {

/// Into the layout's boxes for it; nothing where there are none. `traces`: before and after.
void draw_difference(picture::Pen& pen,
                     std::span<const TimelineTrace> traces,
                     const TimelineLayout& layout,
                     const Look& look);

}  // namespace tidemark::gui
