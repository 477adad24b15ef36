/// The headline, and the buttons beside it.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/keys.hpp"

#include <optional>

namespace tidemark::gui {

/// @return the command of the button that was pressed.
std::optional<Command> show_top_bar(const Desk& desk);

}  // namespace tidemark::gui
