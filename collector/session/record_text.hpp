/// The text that a record carries behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tidemark {

/// At most `bytes` of the payload from `at` on.
inline std::string text_of(std::uint64_t bytes,
                           std::span<const std::byte> payload,
                           std::size_t at = 0) {
  if (at >= payload.size())
    return {};
  const auto* text = reinterpret_cast<const char*>(payload.data()) + at;
  return {text, std::min<std::size_t>(bytes, payload.size() - at)};
}

}  // namespace tidemark
