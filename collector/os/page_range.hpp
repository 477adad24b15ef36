/// Addresses of a process, page by page.
#pragma once

#include <cstdint>

namespace tidemark {

/// [begin, end), both page-aligned.
struct PageRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  bool operator==(const PageRange&) const = default;
};

}  // namespace tidemark
