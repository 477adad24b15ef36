/// The bar that can be taken between the timeline and the pane below.
#pragma once

#include "gui/app/panes/desk.hpp"

namespace tidemark::gui {

/// `split`: what it divides, as it stands.
void show_splitter(const Desk& desk, const Split& split);

}  // namespace tidemark::gui
