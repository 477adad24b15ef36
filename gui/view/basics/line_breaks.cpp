#include "gui/view/basics/line_breaks.hpp"

#include <algorithm>
#include <cstddef>

namespace tidemark::gui {

std::string broken_at_spaces(std::string text,
                             double room,
                             const std::function<double(const std::string&)>& width_of) {
  std::size_t line = 0;  // Where it begins.
  std::size_t space = std::string::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (space != std::string::npos && width_of(text.substr(line, end - line)) > room) {
      text[space] = '\n';
      line = space + 1;
    }
    space = end;
    if (end < text.size() && text[end] == '\n') {
      line = end + 1;
      space = std::string::npos;
    }
    at = end + 1;
  }
  return text;
}

}  // namespace tidemark::gui
