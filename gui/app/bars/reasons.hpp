/// Sentences that explain why the peak is as high as it is.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <optional>

namespace tidemark::gui {

/// Shows a sentence for each trace that has a finding. A click on one chooses its trace.
/// @return after a click, the pane with the details.
std::optional<Pane> show_reasons(const Desk& desk);

}  // namespace tidemark::gui
