/// A value before and after, in words.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark::analyzer {

/// `-50.0%`, `+4.25%`, `0%`. What is next to nothing is `<0.01%`, and what is not all `-99.9%`;
/// from nothing to something is `new`, and from nothing to nothing is empty.
std::string format_change(std::uint64_t before, std::uint64_t after);

/// Sizes and times with a sign: `-5.0 GiB`, `+300 ms`; `0 B`, `0 ns` for none.
std::string format_size_change(std::uint64_t before, std::uint64_t after);
std::string format_time_change(std::uint64_t before, std::uint64_t after);

}  // namespace tidemark::analyzer
