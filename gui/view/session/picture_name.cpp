#include "gui/view/session/picture_name.hpp"

#include <algorithm>
#include <cctype>

namespace tidemark::gui {

std::string picture_name(const std::vector<std::string>& traces) {
  constexpr std::size_t kMostOfOne = 36;
  std::string name;
  for (const std::string& trace : traces) {
    std::string one = trace.substr(trace.find_last_of('/') + 1);
    one = one.substr(0, one.rfind(".tmk"));
    std::ranges::replace_if(
        one,
        [](unsigned char c) {
          return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-' && c != '+';
        },
        '_');
    name += (name.empty() ? "" : "-") + one.substr(0, kMostOfOne);
  }
  return (name.empty() || name.starts_with('.') ? "tidemark" + name : name) + ".svg";
}

}  // namespace tidemark::gui
