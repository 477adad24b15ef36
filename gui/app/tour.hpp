/// A scripted visit: how fast is the window on this trace?
#pragma once

#include "gui/app/main_view.hpp"

#include <functional>

namespace tidemark::gui {

/// Zooms into the peak and out again, pans, and turns to each pane, then prints medians and 99th
/// percentiles of the frames' times, on the wall and of the processor, and the most memory taken,
/// to stdout as JSON. `frame` draws one.
void run_tour(MainView& view, const std::function<void()>& frame);

}  // namespace tidemark::gui
