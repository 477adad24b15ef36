#include "analyzer/gate/gate_bounds.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tidemark::analyzer {
namespace {

Error usage(std::string message) {
  return Error{ErrorCode::kUsage, std::move(message)};
}

std::string_view without_ending(std::string_view text, std::string_view ending) {
  return text.ends_with(ending) ? text.substr(0, text.size() - ending.size()) : text;
}

/// A number from 0 on and nothing else.
bool is_plain_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  return error == std::errc{} && rest == end && std::isfinite(number) && !std::signbit(number);
}

}  // namespace

Result<Budget> size_budget(const std::string& text) {
  if (has_forgotten_unit(text)) {
    return usage(fmt::format("'{0}' would be {1}; give its unit, as {0}MiB or {0}B", text,
                             format_size(parse_size(text).value())));
  }
  // With any W at all, what is left to be wrong is the text.
  const auto size = parse_size(text, 1);
  return size.ok() ? Result<Budget>(Budget{text}) : size.error();
}

Result<NamedSize> parse_named_size(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{ErrorCode::kUsage,
                 fmt::format("'{}' must have a name and a size, as NAME=600MiB", text)};
  }
  return NamedSize{text.substr(0, equals), text.substr(equals + 1)};
}

Result<Budget> ratio_budget(const std::string& text) {
  const std::string_view number = without_ending(without_ending(text, "W"), "x");
  double ratio = 0;
  if (!is_plain_number(number, ratio) || !parse_size(fmt::format("{}xW", number), 1).ok()) {
    return usage(fmt::format("'{}' is no ratio; write how many times the model, like 1.1", text));
  }
  return Budget{fmt::format("{}xW", number)};
}

Result<double> parse_percent(std::string_view text) {
  double percent = 0;
  if (!is_plain_number(without_ending(text, "%"), percent)) {
    return usage(fmt::format("'{}' is no percentage; write it like 2 or 2.5%", text));
  }
  return percent;
}

Result<Gauge> parse_lane(const std::string& name) {
  const auto gauge = gauge_named(name);
  if (!gauge) {
    return usage(fmt::format("there is no lane '{}'; there are: {}", name, gauge_names()));
  }
  return *gauge;
}

}  // namespace tidemark::analyzer
