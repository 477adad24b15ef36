#include "analyzer/text/change_text.hpp"

#include "analyzer/text/percent_text.hpp"
#include "analyzer/text/size_text.hpp"

namespace tidemark::analyzer {
namespace {

/// A smaller change would be printed as none; the sizes show its direction.
constexpr double kPrintable = 0.005;

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
  const std::string amount = format_percent(percent);
  if (before != after && percent < kPrintable) {
    return amount;
  }
  // Only all is 100 %.
  const bool rounds_to_all = after != 0 && after < before && percent >= 99.95;
  return signed_text(before, after, rounds_to_all ? "99.9%" : amount);
}

std::string format_size_change(std::uint64_t before, std::uint64_t after) {
  return signed_text(before, after, format_size(distance(before, after)));
}

std::string format_time_change(std::uint64_t before, std::uint64_t after) {
  return signed_text(before, after, format_time(distance(before, after)));
}

}  // namespace tidemark::analyzer
