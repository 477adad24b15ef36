/// One row a file, a thread, a phase: who did what when.
#pragma once

#include "analyzer/picture/alignment.hpp"
#include "gui/view/activity/activity_layout.hpp"

#include <span>

namespace tidemark::gui {

/// A name is above its row, and a bar has its label inside, or beside it if there is space.
/// `ticks`: the timeline's, x in view: 0 to 1. What is under the pointer has an outline.
void draw_activity(picture::Scene& scene,
                   const ActivityInput& input,
                   const ActivityLayout& layout,
                   std::span<const picture::AxisTick> ticks,
                   const ActivityPlace& pointed_at,
                   const picture::Box& place,
                   const Look& look);

}  // namespace tidemark::gui
