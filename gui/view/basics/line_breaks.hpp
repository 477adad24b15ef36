/// Where the lines of a text end.
#pragma once

#include <functional>
#include <string>

namespace tidemark::gui {

/// The text with some spaces replaced by line ends, so that no line is wider than `room`. Words
/// stay whole even if wider; ImGui would break `0.77` after the point. A number stays with its
/// unit: `207 ms`, `0.77 x W`.
std::string broken_at_spaces(std::string text,
                             double room,
                             const std::function<double(const std::string&)>& width_of);

}  // namespace tidemark::gui
