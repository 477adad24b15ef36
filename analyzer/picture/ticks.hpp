/// Round numbers for axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::picture {

struct Tick {
  std::uint64_t value = 0;
  std::string text;
};

/// From 0 to at most `top`, at most `most` steps, each a power of two bytes: `0`, `256 MiB`,
/// `512 MiB`, `768 MiB`, `1 GiB`.
std::vector<Tick> size_ticks(std::uint64_t top, std::size_t most);

/// The same in ns, in steps of 1, 2 or 5 of the decimal units, and round parts of minutes and
/// hours: `0`, `0.5 s`, `1 s`. All in one unit.
std::vector<Tick> time_ticks(std::uint64_t top_ns, std::size_t most);

/// Whole multiples of W up to `top`: 1, 2, 3, or fewer if those would be more than `most`. None if
/// W is unknown, or too small relative to `top` to be a useful unit.
std::vector<std::uint64_t> model_multiples(std::uint64_t model_bytes,
                                           std::uint64_t top,
                                           std::size_t most);

/// `W`, `2W`.
std::string model_text(std::uint64_t times);

}  // namespace tidemark::picture
