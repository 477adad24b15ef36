/// The draggable bar between the timeline and the pane below.
#pragma once

#include "gui/app/panes/desk.hpp"

namespace tidemark::gui {

/// `split`: the current division of the height.
void show_splitter(const Desk& desk, const Split& split);

}  // namespace tidemark::gui
