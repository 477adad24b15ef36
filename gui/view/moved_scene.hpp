/// A part of the window as a picture of its own.
#pragma once

#include "analyzer/plot/shapes.hpp"

namespace tidemark::gui {

/// What lies in `place`, whose top left corner becomes the picture's.
plot::Scene moved_scene(plot::Scene scene, const plot::Box& place, const plot::Colour& background);

}  // namespace tidemark::gui
