/// The bar that can be taken between the timeline and the pane below.
#pragma once

#include "gui/app/panes/desk.hpp"

namespace tidemark::gui {

/// `height`: what it divides.
void show_splitter(const Desk& desk, float height);

}  // namespace tidemark::gui
