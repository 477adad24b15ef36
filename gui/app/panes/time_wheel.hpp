/// The mouse wheel over pictures on the timeline's axis.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/basics/moved_scene.hpp"

namespace tidemark::gui {

/// Zooms time about the pointer, with ctrl the size axis; a sideways wheel pans. Call for the
/// picture under the pointer; `plot` is its part on the axis.
void take_wheel(const Desk& desk, const picture::Box& plot);

}  // namespace tidemark::gui
