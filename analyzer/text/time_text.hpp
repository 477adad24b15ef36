/// Instants with as many digits as distinguish them.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark::analyzer {

/// `ns` with as many decimals as steps of `step_ns` need, in the unit that suits `highest_ns`:
/// `12.345 s`.
std::string precise_time(std::uint64_t ns, std::uint64_t step_ns, std::uint64_t highest_ns);

/// `254 ms to 369 ms`; if both would read much the same, `256.203 ms to 256.381 ms`.
std::string begin_to_end(std::uint64_t begin_ns, std::uint64_t end_ns);

}  // namespace tidemark::analyzer
