/// What a person has taken away, and what is said of the load without it.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <optional>

namespace tidemark::gui {

/// Nothing where nothing is unticked. @return what is said of the button that was pressed.
std::optional<Message> show_what_if(const Desk& desk);

/// As markdown, into a file beside the first trace. @return what is said of that.
Message save_what_if(const Desk& desk);

}  // namespace tidemark::gui
