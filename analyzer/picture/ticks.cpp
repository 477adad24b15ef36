#include "analyzer/picture/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::picture {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes == 0) {
    return "0";
  }
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:g} {}", value, kNames.at(unit));
}

/// 1, 2, 5, 10, 20, 50, ... times `unit`: the first at or after `least`.
std::uint64_t decimal_step(std::uint64_t unit, std::uint64_t least) {
  for (std::uint64_t power = unit;; power *= 10) {
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      if (power * factor >= least || (factor == 5 && power > UINT64_MAX / 50)) {
        return power * factor;
      }
    }
  }
}

std::uint64_t time_step(std::uint64_t least) {
  if (least <= 30 * kSecond) {
    return least > 20 * kSecond ? 30 * kSecond : decimal_step(1, least);
  }
  for (const std::uint64_t minutes : {1U, 2U, 5U, 10U, 20U, 30U}) {
    if (minutes * kMinute >= least) {
      return minutes * kMinute;
    }
  }
  return decimal_step(kHour, least);
}

struct Unit {
  std::uint64_t ns;
  std::string_view name;
};

Unit time_unit(std::uint64_t top_ns, std::uint64_t step_ns) {
  if (step_ns >= kHour) {
    return {kHour, "h"};
  }
  if (step_ns >= kMinute) {
    return {kMinute, "min"};
  }
  for (const Unit unit : {Unit{kSecond, "s"}, Unit{1'000'000, "ms"}, Unit{1'000, "us"}}) {
    if (top_ns >= unit.ns) {
      return unit;
    }
  }
  return {1, "ns"};
}

std::uint64_t least_step(std::uint64_t top, std::size_t most) {
  return std::max<std::uint64_t>(1, top / std::max<std::size_t>(1, most) +
                                        (top % std::max<std::size_t>(1, most) != 0 ? 1 : 0));
}

}  // namespace

std::vector<Tick> size_ticks(std::uint64_t top, std::size_t most) {
  const std::uint64_t least = least_step(top, most);
  std::uint64_t step = 1;
  while (step < least && step < std::uint64_t{1} << 63U) {
    step *= 2;
  }
  std::vector<Tick> ticks{{0, "0"}};
  for (std::uint64_t i = 1; i <= top / step; ++i) {
    ticks.push_back({step * i, size_text(step * i)});
  }
  return ticks;
}

std::vector<Tick> time_ticks(std::uint64_t top_ns, std::size_t most) {
  const std::uint64_t step = time_step(least_step(top_ns, most));
  const Unit unit = time_unit(top_ns, step);
  std::vector<Tick> ticks{{0, "0"}};
  for (std::uint64_t i = 1; i <= top_ns / step; ++i) {
    const double value = static_cast<double>(step * i) / static_cast<double>(unit.ns);
    ticks.push_back({step * i, fmt::format("{:g} {}", value, unit.name)});
  }
  return ticks;
}

std::string model_text(std::uint64_t times) {
  return times == 1 ? "W" : fmt::format("{}W", times);
}

std::vector<std::uint64_t> model_multiples(std::uint64_t model_bytes,
                                           std::uint64_t top,
                                           std::size_t most) {
  std::vector<std::uint64_t> multiples;
  if (model_bytes == 0) {
    return multiples;
  }
  constexpr std::uint64_t kMaxModelMultiple = 999;
  const std::uint64_t highest = top / model_bytes;
  if (highest > kMaxModelMultiple) {
    return multiples;
  }
  const std::uint64_t step = decimal_step(1, least_step(highest, most));
  for (std::uint64_t i = 1; i <= highest / step; ++i) {
    multiples.push_back(step * i);
  }
  return multiples;
}

}  // namespace tidemark::picture
