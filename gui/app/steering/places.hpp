/// The way to what was found by its name.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"
#include "gui/view/session/find_anything.hpp"

#include <optional>

namespace tidemark::gui {

struct Arrival {
  std::optional<Pane> pane;        ///< In which it can be seen; none: in all of them.
  std::optional<Message> message;  ///< What of it cannot be seen.
};

/// Brings its time, where it has one, into view, and chooses its trace.
Arrival go_to(const Desk& desk, const Place& place);

}  // namespace tidemark::gui
