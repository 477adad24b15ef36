/// Where the lines of a text end.
#pragma once

#include <functional>
#include <string>

namespace tidemark::gui {

/// The same text with line ends in the place of spaces, so that no line is wider than `room`. A
/// word that is wider by itself stays whole: `0.77`, in which ImGui ends a line behind the point.
/// So does a number with its unit: `207 ms`, `0.77 x W`.
std::string broken_at_spaces(std::string text,
                             double room,
                             const std::function<double(const std::string&)>& width_of);

}  // namespace tidemark::gui
