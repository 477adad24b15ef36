/// Above the timeline: the switches for what it shows, and the legend of its colours.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <optional>

namespace tidemark::gui {

/// @return the alignment, if another one was chosen.
std::optional<picture::Align> show_switches(const Desk& desk);

/// @param pointed_at see legend_of.
void show_legend(const Desk& desk, std::optional<double> pointed_at);

}  // namespace tidemark::gui
