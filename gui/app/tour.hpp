/// A scripted tour that measures how fast the window is on this trace.
#pragma once

#include "gui/app/main_view.hpp"

#include <functional>

namespace tidemark::gui {

/// Zooms into the peak and out again, pans, and turns to each pane. Then prints as JSON to stdout
/// the medians and 99th percentiles of frame times, by wall clock and by processor time, and the
/// peak memory use. `frame` draws a frame.
void run_tour(MainView& view, const std::function<void()>& frame);

}  // namespace tidemark::gui
