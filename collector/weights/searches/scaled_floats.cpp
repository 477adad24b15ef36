#include "collector/weights/searches/scaled_floats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <unistd.h>

namespace tidemark::weights {
namespace {

std::vector<float> floats_in(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// Whether values go up and down as weights do: any two ramps are scaled copies of each other.
bool goes_up_and_down(std::span<const float> values) {
  std::size_t turns = 0;
  for (std::size_t i = 2; i < values.size(); ++i)
    turns += (values[i] > values[i - 1]) != (values[i - 1] > values[i - 2]) ? 1U : 0U;
  return turns >= values.size() / 4;
}

/// Whether one number to multiply with and one to add make the others of each value.
bool are_scaled(std::span<const float> from, std::span<const float> to) {
  constexpr double kTolerance = 1e-5;  // Relative to the range; float32 rounds to less.
  const auto [least, most] = std::ranges::minmax_element(from);
  const double range = static_cast<double>(*most) - *least;
  const double first = to[static_cast<std::size_t>(least - from.begin())];
  const double last = to[static_cast<std::size_t>(most - from.begin())];
  const double factor = (last - first) / range;
  if (!std::isfinite(factor) || factor == 0 || !goes_up_and_down(from))
    return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double expected = first + factor * (static_cast<double>(from[i]) - *least);
    if (!(std::abs(expected - to[i]) <= kTolerance * std::abs(last - first)))
      return false;
  }
  return true;
}

/// The same of a row of a matrix, or where the next one begins among them, of the first or the
/// second half.
bool are_scaled_in_a_row(std::span<const float> from, std::span<const float> to) {
  const std::size_t half = from.size() / 2;
  return are_scaled(from, to) || are_scaled(from.first(half), to.first(half)) ||
         are_scaled(from.last(half), to.last(half));
}

/// Whether all are scaled alike, or the first `count` and the others each in a row of their own.
bool are_scaled_by_rows(std::span<const float> from, std::span<const float> to, std::size_t count) {
  return are_scaled(from, to) || (are_scaled_in_a_row(from.first(count), to.first(count)) &&
                                  are_scaled_in_a_row(from.subspan(count), to.subspan(count)));
}

}  // namespace

std::optional<FloatLikeness> likeness_to_floats(const BlockSample& block,
                                                std::uint64_t header,
                                                const PlainFile& file,
                                                std::uint64_t begin) {
  const auto behind_header = std::span(block.first).first(block.first_count).subspan(header);
  std::vector<std::byte> from(behind_header.size() + block.inner.size());
  const auto read = [&](std::span<std::byte> into, std::uint64_t place) {
    return ::pread(file.file.number(), into.data(), into.size(),
                   static_cast<off_t>(begin + place)) == std::ssize(into);
  };
  if (!read(std::span(from).first(behind_header.size()), header) ||
      !read(std::span(from).subspan(behind_header.size()), block.inner_at))
    return std::nullopt;
  std::vector<std::byte> to(behind_header.begin(), behind_header.end());
  to.insert(to.end(), block.inner.begin(), block.inner.end());
  // Not found by OrderSearch: in a part of the file beyond its limit, or words at too many places.
  if (from == to)
    return FloatLikeness::kSame;
  std::vector<float> values = floats_in(from);
  const std::vector<float> there = floats_in(to);
  if (are_scaled_by_rows(values, there, behind_header.size() / sizeof(float)))
    return FloatLikeness::kScaled;
  for (float& value : values)
    value = std::abs(value);
  return are_scaled(values, there) ? std::optional(FloatLikeness::kScaled) : std::nullopt;
}

}  // namespace tidemark::weights
