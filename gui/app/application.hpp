/// The program: a window until it is closed, or one picture of it.
#pragma once

#include "collector/trace/types/result.hpp"
#include "gui/app/options.hpp"

namespace tidemark::gui {

/// @return one sentence when a trace cannot be read, when there is no display, no OpenGL 3.3, or
/// when a file cannot be written.
Status run_application(const Options& options);

}  // namespace tidemark::gui
