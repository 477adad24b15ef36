#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/json_reading.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {
namespace {

// ASCII only: characters with side effects are escaped, whatever their source.
constexpr bool kAsciiOnly = true;
constexpr auto kReplaceBroken = Json::error_handler_t::replace;

}  // namespace

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', kAsciiOnly, kReplaceBroken) + '\n';
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', kAsciiOnly, kReplaceBroken);
}

std::string no_json_sentence(std::string_view text, std::size_t byte) {
  const auto last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) {
    return "it is empty";
  }
  if (byte > last + 1) {
    return "it ends in the middle of its JSON";
  }
  const std::string_view before = text.substr(0, std::max<std::size_t>(byte, 1) - 1);
  const auto line_begin = before.find_last_of('\n') + 1;
  return fmt::format("it cannot be read as JSON at line {}, column {}",
                     std::ranges::count(before, '\n') + 1, before.size() - line_begin + 1);
}

}  // namespace tidemark::analyzer
