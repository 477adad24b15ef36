#include "analyzer/text/change_text.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

std::string signed_text(std::uint64_t before, std::uint64_t after, const std::string& amount) {
  return (before == after ? "" : after > before ? "+" : "-") + amount;
}

}  // namespace

std::string format_change(std::uint64_t before, std::uint64_t after) {
  if (before == 0) {
    return after == 0 ? "" : "new";
  }
  const double percent =
      100.0 * static_cast<double>(distance(before, after)) / static_cast<double>(before);
  std::string amount = fmt::format("{:.1f}%", percent);
  if (before != after && percent < 0.05) {
    amount = "<0.1%";
  } else if (after != 0 && after < before && percent >= 99.95) {
    amount = ">99.9%";
  }
  return signed_text(before, after, amount);
}

std::string format_size_change(std::uint64_t before, std::uint64_t after) {
  return signed_text(before, after, format_size(distance(before, after)));
}

std::string format_time_change(std::uint64_t before, std::uint64_t after) {
  return signed_text(before, after, format_time(distance(before, after)));
}

}  // namespace tidemark::analyzer
