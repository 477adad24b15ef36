/// What the timeline shows, above it: the switches for that, and what its colours are.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <optional>

namespace tidemark::gui {

/// @return another alignment, where one was chosen.
std::optional<picture::Align> show_switches(const Desk& desk);

/// @param pointed_at see legend_of.
void show_legend(const Desk& desk, std::optional<double> pointed_at);

}  // namespace tidemark::gui
