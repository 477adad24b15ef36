/// ImGui's widgets in the colours of the pictures.
#pragma once

#include "gui/view/basics/look.hpp"

namespace tidemark::gui {

/// For the current ImGui context.
void apply_style(const Look& look);

}  // namespace tidemark::gui
