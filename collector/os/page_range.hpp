/// Addresses of a process, page by page.
#pragma once

#include <cstdint>

namespace tidemark {

/// User addresses end here (five-level paging). What a host says of anything above is not true, and
/// sums below it cannot wrap.
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 56U;

/// [begin, end), both page-aligned.
struct PageRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  [[nodiscard]] bool overlaps(const PageRange& other) const {
    return begin < other.end && other.begin < end;
  }
  bool operator==(const PageRange&) const = default;
};

}  // namespace tidemark
