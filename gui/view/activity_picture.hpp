/// One row a thread, a file, a phase: who did what when.
#pragma once

#include "analyzer/plot/shapes.hpp"
#include "analyzer/plot/subject.hpp"
#include "analyzer/plot/warp.hpp"
#include "gui/view/activity.hpp"
#include "gui/view/look.hpp"
#include "gui/view/view_range.hpp"

namespace tidemark::gui {

struct ActivityInput {
  const Activity* activity = nullptr;      ///< Borrowed. So the next two.
  const plot::Subject* subject = nullptr;  ///< For its phases.
  const plot::Warp* warp = nullptr;
  ViewRange range;
  double left = 0;      ///< Width of the names beside the rows.
  double scrolled = 0;  ///< Pixels that have left at the top.
};

/// Rows that do not fit into `place` are cut off. @return the height of all rows.
double draw_activity(plot::Scene& scene,
                     const ActivityInput& input,
                     const plot::Box& place,
                     const Look& look);

}  // namespace tidemark::gui
