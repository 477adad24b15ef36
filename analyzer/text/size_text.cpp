#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr double kKibi = 1024.0;

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 18> kSizeUnits{{
    {"", 1},
    {"B", 1},
    {"K", kKibi},
    {"KiB", kKibi},
    {"M", kKibi* kKibi},
    {"MiB", kKibi* kKibi},
    {"G", kKibi* kKibi* kKibi},
    {"GiB", kKibi* kKibi* kKibi},
    {"T", kKibi* kKibi* kKibi* kKibi},
    {"TiB", kKibi* kKibi* kKibi* kKibi},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"k", kKibi},
    {"m", kKibi* kKibi},
    {"g", kKibi* kKibi* kKibi},
}};

constexpr std::array<Unit, 8> kTimeUnits{{
    {"", 1e9},
    {"s", 1e9},
    {"ms", 1e6},
    {"us", 1e3},
    {"ns", 1},
    {"min", 60e9},
    {"m", 60e9},
    {"h", 3600e9},
}};

struct Quantity {
  double number;
  std::string_view unit;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<Quantity> split_quantity(std::string_view text) {
  text = trimmed(text);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) {
    return std::nullopt;
  }
  return Quantity{number, trimmed({rest, static_cast<std::size_t>(end - rest)})};
}

template <std::size_t kCount>
std::optional<double> factor_of(const std::array<Unit, kCount>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) {
      return unit.factor;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> whole(double value) {
  constexpr double kTooLarge = 18446744073709551616.0;  // 2^64
  const double rounded = std::round(value);
  if (rounded >= kTooLarge) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(rounded);
}

Error usage(std::string message) {
  return Error{ErrorCode::kUsage, std::move(message)};
}

}  // namespace

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.95 would print as 1024.0.
  while (value >= 1023.95 && unit + 1 < kNames.size()) {
    value /= kKibi;
    ++unit;
  }
  // 9.995 would print as 10.00.
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : 1, kNames.at(unit));
}

std::string format_signed_size(std::int64_t bytes) {
  const auto magnitude =
      bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
  return (bytes < 0 ? "-" : "+") + format_size(magnitude);
}

Result<std::uint64_t> parse_size(std::string_view text, std::optional<std::uint64_t> model_bytes) {
  const auto quantity = split_quantity(text);
  if (!quantity) {
    return usage(fmt::format("'{}' is not a size; write it like 1.5GiB, 200MB or 1.2xW", text));
  }
  std::optional<double> factor = factor_of(kSizeUnits, quantity->unit);
  if (quantity->unit == "xW" || quantity->unit == "W") {
    if (!model_bytes || *model_bytes == 0) {
      return usage(
          fmt::format("'{}' needs the model's size, which is not known; give --model", text));
    }
    factor = static_cast<double>(*model_bytes);
  }
  if (!factor) {
    return usage(fmt::format(
        "'{}' has no known unit; use B, KiB, MiB, GiB, TiB, kB, MB, GB, TB or xW", text));
  }
  const auto bytes = whole(quantity->number * *factor);
  if (!bytes) {
    return usage(fmt::format("'{}' is larger than any memory; check the unit", text));
  }
  return *bytes;
}

bool has_forgotten_unit(std::string_view text) {
  constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 20U;
  const auto quantity = split_quantity(text);
  const auto bytes = parse_size(text);
  return quantity && quantity->unit.empty() && bytes.ok() && bytes.value() > 0 &&
         bytes.value() < kMinBytes;
}

std::string format_time(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000) {
    return fmt::format("{} ns", ns);
  }
  if (value < 9.95e3) {
    return fmt::format("{:.1f} us", value / 1e3);
  }
  if (value < 999.5e3) {
    return fmt::format("{:.0f} us", value / 1e3);
  }
  if (value < 9.95e6) {
    return fmt::format("{:.1f} ms", value / 1e6);
  }
  if (value < 999.5e6) {
    return fmt::format("{:.0f} ms", value / 1e6);
  }
  if (value < 99.95e9) {
    return fmt::format("{:.1f} s", value / 1e9);
  }
  const std::uint64_t seconds = (ns + 500'000'000) / 1'000'000'000;
  return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
}

std::string format_exact_time(std::uint64_t ns) {
  if (ns < 999'500'000) {
    return format_time(ns);
  }
  constexpr std::uint64_t kMinute = 60'000;
  const std::uint64_t ms = (ns + 500'000) / 1'000'000;
  return ns < 99'950'000'000
             ? fmt::format("{}.{:03} s", ms / 1000, ms % 1000)
             : fmt::format("{} min {:02}.{:03} s", ms / kMinute, ms % kMinute / 1000, ms % 1000);
}

Result<std::uint64_t> parse_time(std::string_view text) {
  const auto quantity = split_quantity(text);
  const auto factor = quantity ? factor_of(kTimeUnits, quantity->unit) : std::nullopt;
  const auto ns = factor ? whole(quantity->number * *factor) : std::nullopt;
  if (!ns) {
    return usage(fmt::format("'{}' is not a time; write it like 3.2s, 450ms or 90us", text));
  }
  return *ns;
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace tidemark::analyzer
