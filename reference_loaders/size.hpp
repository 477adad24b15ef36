#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::loaders {

/// Bytes meant by `text`: `4096`, `200MB` (powers of 1000), `1.5GiB` (powers of 1024).
/// Upper and lower case are the same, so `kb` is 1000 bytes; there are no bits.
/// @throws UsageError (bad_input.hpp), also for a size of 2^63 bytes or more.
std::uint64_t parse_size(std::string_view text);

/// `bytes` for people: "512.0 MiB".
std::string format_size(std::uint64_t bytes);

}  // namespace tidemark::loaders
