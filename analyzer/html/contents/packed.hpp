/// Lists of numbers as short text, for a page that carries its data with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::html {

/// The largest number that a page can carry: JavaScript counts in doubles, and a difference needs a
/// bit for its sign. 4 PiB, or 52 days in ns.
constexpr std::uint64_t kMaxPackedNumber = (std::uint64_t{1} << 52U) - 1;

/// Encodes differences between neighbours, zigzag, as varints, each byte a character from `]` on; a
/// difference of 0 is followed by how many more of them follow. Numbers are limited to
/// kMaxPackedNumber. `numbers.js` reads it.
std::string packed(std::span<const std::uint64_t> numbers);

/// The same for one number of each of `items`.
template <typename Items, typename Field>
std::string packed_column(const Items& items, Field field) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(items.size());
  for (const auto& item : items) {
    numbers.push_back(static_cast<std::uint64_t>(field(item)));
  }
  return packed(numbers);
}

}  // namespace tidemark::html
