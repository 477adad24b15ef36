/// Differences of untrusted numbers, from a host or a trace.
#pragma once

#include <cstdint>

namespace tidemark::trace {

/// `from - what`, and never below 0.
constexpr std::uint64_t less(std::uint64_t from, std::uint64_t what) {
  return from > what ? from - what : 0;
}

}  // namespace tidemark::trace
