/// One row a thread, a file, a phase: who did what when.
#pragma once

#include "analyzer/picture/alignment.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/picture/warp.hpp"
#include "gui/view/activity/activity.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/basics/view_range.hpp"

#include <span>

namespace tidemark::gui {

struct ActivityInput {
  const Activity* activity = nullptr;         ///< Borrowed. So the next two.
  const picture::Subject* subject = nullptr;  ///< For its phases.
  const picture::Warp* warp = nullptr;
  ViewRange range;
  double left = 0;  ///< Where the timeline's plots begin: the rows are on its axis.
  std::span<const picture::AxisTick> ticks;  ///< The timeline's, x in view: 0 to 1.
  double scrolled = 0;                       ///< Pixels that have left at the top.
};

/// A name stands above its row. Rows that do not fit into `place` are cut off. @return the height
/// of all rows.
double draw_activity(picture::Scene& scene,
                     const ActivityInput& input,
                     const picture::Box& place,
                     const Look& look);

}  // namespace tidemark::gui
