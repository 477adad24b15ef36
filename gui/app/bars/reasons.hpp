/// Why the peak is as high as it is: what somebody opens the window for.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <optional>

namespace tidemark::gui {

/// A sentence for each trace that has a finding. One that is clicked on chooses its trace.
/// @return then the pane that tells more.
std::optional<Pane> show_reasons(const Desk& desk);

}  // namespace tidemark::gui
