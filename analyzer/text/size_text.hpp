/// Sizes and times as people write and read them.
#pragma once

#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `10.0 GiB`, `1.25 GiB`, `512 B`: three digits or more, binary units, the unit chosen so that the
/// number is below 1024.
std::string format_size(std::uint64_t bytes);

/// The same with a sign; for differences.
std::string format_signed_size(std::int64_t bytes);

/// Reads `1.5GiB`, `200 MB`, `1024`, and `1.2xW` when the model bytes W are known. GiB, MiB, KiB
/// are powers of 1024; so are the bare letters K, M, G, T. GB, MB, KB, kB are powers of 1000.
/// @return kUsage with a sentence when the text is no size, does not fit, or needs an unknown W.
Result<std::uint64_t> parse_size(std::string_view text,
                                 std::optional<std::uint64_t> model_bytes = std::nullopt);

/// True for `150`, which is 150 B and was rather meant to be MiB: a number above 0 without a unit
/// that is less than 1 MiB. Any size with a unit is taken as meant.
bool has_forgotten_unit(std::string_view text);

/// `3.2 s`, `450 ms`, `12 us`, `90 ns`, `2 min 05 s`.
std::string format_time(std::uint64_t ns);

/// The same, but to the millisecond from a second on: `1.056 s`, `2 min 05.250 s`. For instants
/// that would be equal when rounded to a tenth of a second, as the peak and the border of a phase
/// may be.
std::string format_exact_time(std::uint64_t ns);

/// Reads `3.2s`, `450ms`, `12us`, `90ns`, `2min`; a bare number is seconds. The result is in ns.
Result<std::uint64_t> parse_time(std::string_view text);

/// `1,234,567`.
std::string format_count(std::uint64_t count);

}  // namespace tidemark::analyzer
