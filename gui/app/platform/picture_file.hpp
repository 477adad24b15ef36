/// Pixels as a file.
#pragma once

#include "collector/trace/types/result.hpp"
#include "gui/app/platform/window.hpp"

#include <string>

namespace tidemark::gui {

/// The bytes of a PNG file.
Result<std::string> png_of(const Pixels& pixels);

}  // namespace tidemark::gui
