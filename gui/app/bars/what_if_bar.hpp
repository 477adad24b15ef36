/// What a person has taken away, and what the load would be without it.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <optional>

namespace tidemark::gui {

/// Shows nothing if nothing is unticked. @return the message of the button that was pressed.
std::optional<Message> show_what_if(const Desk& desk);

/// Writes the same as markdown into a file beside the first trace. @return success or trouble.
Message save_what_if(const Desk& desk);

}  // namespace tidemark::gui
