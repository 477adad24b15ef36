/// What the wheel does over a picture on the timeline's axis.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/basics/moved_scene.hpp"

namespace tidemark::gui {

/// Zooms time about the pointer, and with ctrl the sizes; a sideways wheel moves through time. For
/// the picture that the pointer is over; `plot` is what of it lies on the axis.
void take_wheel(const Desk& desk, const picture::Box& plot);

}  // namespace tidemark::gui
