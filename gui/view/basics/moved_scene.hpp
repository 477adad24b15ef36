/// A part of the window as a picture of its own.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"

namespace tidemark::gui {

/// The part of the scene inside `place`, whose top left corner becomes the picture's origin.
picture::Scene moved_scene(picture::Scene scene,
                           const picture::Box& place,
                           const picture::Colour& background);

}  // namespace tidemark::gui
