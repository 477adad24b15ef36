/// A value before and after, in words.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark::analyzer {

/// `-50.0%`, `+4.25%`, `0%`. Tiny changes are `<0.01%`, and almost complete losses `-99.9%`; from 0
/// to more is `new`, and from 0 to 0 is empty.
std::string format_change(std::uint64_t before, std::uint64_t after);

/// Sizes and times with a sign: `-5.0 GiB`, `+300 ms`; `0 B`, `0 ns` for none.
std::string format_size_change(std::uint64_t before, std::uint64_t after);
std::string format_time_change(std::uint64_t before, std::uint64_t after);

}  // namespace tidemark::analyzer
