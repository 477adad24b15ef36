#include "collector/launch/shebang.hpp"

namespace tidemark {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(kBlanks));
}

}  // namespace

std::optional<Shebang> parse_shebang(std::string_view head) {
  head = head.substr(0, kShebangBytes);
  if (!head.starts_with("#!")) {
    return std::nullopt;
  }
  head.remove_prefix(2);
  const auto line_end = head.find('\n');
  const bool cut = line_end == std::string_view::npos && head.size() == kShebangBytes - 2;
  std::string_view line = head.substr(0, line_end);
  line = trim(line.substr(0, line.find('\0')));
  const std::string_view interpreter = first_word(line);
  // A path that runs into the limit is refused by the kernel, where a cut argument is not.
  if (interpreter.empty() || (cut && interpreter.size() == line.size())) {
    return std::nullopt;
  }
  return Shebang{std::string(interpreter), std::string(trim(line.substr(interpreter.size())))};
}

std::optional<std::string> env_target(const Shebang& shebang) {
  const auto slash = shebang.interpreter.rfind('/');
  if (std::string_view(shebang.interpreter).substr(slash + 1) != "env") {
    return std::nullopt;
  }
  std::string_view argument = shebang.argument;
  if (argument.starts_with("-S")) {
    argument = first_word(trim(argument.substr(2)));
  }
  // Without -S the whole rest of the line is one name, blanks included.
  if (argument.empty() || argument.front() == '-' || argument.find('=') != std::string_view::npos) {
    return std::nullopt;
  }
  return std::string(argument);
}

}  // namespace tidemark
