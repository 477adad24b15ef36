/// The line above a trace's plot: its command, what it holds, how long it took.
#pragma once

#include "gui/view/basics/look.hpp"
#include "gui/view/timeline/timeline_input.hpp"

#include <string>

namespace tidemark::gui {

/// `role`: `before`, `after` or empty.
void draw_header(picture::Pen& pen,
                 const Look& look,
                 const picture::Box& box,
                 const std::string& role,
                 const TimelineTrace& trace,
                 bool tells_loss);

}  // namespace tidemark::gui
