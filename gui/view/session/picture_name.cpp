#include "gui/view/session/picture_name.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tidemark::gui {

std::string picture_name(const std::vector<std::string>& traces) {
  constexpr std::size_t kMaxNameLength = 80;
  constexpr std::size_t kMaxPartLength = 36;
  constexpr std::string_view kEnding = ".svg";
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
    name += (name.empty() ? "" : "-") + one.substr(0, kMaxPartLength);
  }
  if (name.empty() || name.starts_with('.')) {
    name = "tidemark" + name;
  }
  return name.substr(0, kMaxNameLength - kEnding.size()) + std::string(kEnding);
}

}  // namespace tidemark::gui
