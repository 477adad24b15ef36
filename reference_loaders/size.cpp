#include "reference_loaders/size.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace tidemark::loaders {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array kUnits = {
    Unit{"", 1},
    Unit{"b", 1},
    Unit{"kb", 1'000},
    Unit{"mb", 1'000'000},
    Unit{"gb", 1'000'000'000},
    Unit{"tb", 1'000'000'000'000},
    Unit{"kib", std::uint64_t{1} << 10},
    Unit{"mib", std::uint64_t{1} << 20},
    Unit{"gib", std::uint64_t{1} << 30},
    Unit{"tib", std::uint64_t{1} << 40},
};

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError(
      fmt::format("'{}' is not a size: give a number with an optional unit, for example 512MiB, "
                  "5GB or 1.5GiB",
                  text));
}

std::optional<std::uint64_t> unit_bytes(std::string_view name) {
  std::string lower;
  for (const char c : name) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const Unit& unit : kUnits) {
    if (unit.name == lower) {
      return unit.bytes;
    }
  }
  return std::nullopt;
}

/// Whole numbers stay whole: a double would round sizes above 2^53.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t unit) {
  constexpr std::uint64_t kEndBytes = std::uint64_t{1} << 63;
  const char* const end = number.data() + number.size();
  std::uint64_t whole = 0;
  if (const auto [rest, error] = std::from_chars(number.data(), end, whole); rest == end) {
    std::uint64_t bytes = 0;
    const bool fits = error == std::errc{} && !__builtin_mul_overflow(whole, unit, &bytes);
    return fits && bytes < kEndBytes ? std::optional(bytes) : std::nullopt;
  }
  double fraction = 0;
  const auto [rest, error] =
      std::from_chars(number.data(), end, fraction, std::chars_format::fixed);
  const double bytes = std::round(fraction * static_cast<double>(unit));
  if (rest != end || error != std::errc{} || !(bytes < static_cast<double>(kEndBytes))) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  const auto digits = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, digits);
  std::string_view unit = digits == std::string_view::npos ? "" : text.substr(digits);
  if (unit.starts_with(' ')) {
    unit.remove_prefix(1);
  }
  const auto factor = unit_bytes(unit);
  if (number.empty() || !factor) {
    refuse(text);
  }
  const auto bytes = scaled(number, *factor);
  if (!bytes) {
    refuse(text);
  }
  return *bytes;
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array kNames = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  double value = static_cast<double>(bytes) / 1024;
  std::size_t name = 0;
  // 1023.95 would print as 1024.0.
  while (value >= 1023.95 && name + 1 < kNames.size()) {
    value /= 1024;
    ++name;
  }
  return value < 10 ? fmt::format("{:.2f} {}", value, kNames[name])
                    : fmt::format("{:.1f} {}", value, kNames[name]);
}

}  // namespace tidemark::loaders
