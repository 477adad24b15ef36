/// Paints scenes with Dear ImGui.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "gui/app/platform/fonts.hpp"

#include <imgui.h>

namespace tidemark::gui {

/// Uses the scene's coordinates as the window's. Fills must be x-monotone: any vertical line meets
/// the outline at most twice. All fills that the views draw are.
void paint(ImDrawList& list, const picture::Scene& scene, const Fonts& fonts);

ImU32 packed(const picture::Colour& colour);

}  // namespace tidemark::gui
