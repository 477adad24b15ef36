/// The colours of the pictures, for a page.
#pragma once

#include <string>

namespace tidemark::html {

/// Custom properties (`--lane-heap`, `--ink`, ...) on the root: those of picture::light_theme, and
/// of picture::dark_theme where the browser or the page's own switch asks for it.
std::string theme_css();

}  // namespace tidemark::html
