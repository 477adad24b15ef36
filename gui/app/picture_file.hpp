/// Pixels as a file.
#pragma once

#include "collector/trace/result.hpp"
#include "gui/app/window.hpp"

#include <string>

namespace tidemark::gui {

/// The bytes of a PNG file.
Result<std::string> png_of(const Pixels& pixels);

}  // namespace tidemark::gui
