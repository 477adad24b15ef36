/// Addresses of a process, page by page.
#pragma once

#include <cstdint>

namespace tidemark {

/// End of user addresses (five-level paging). A host's claims about anything above are false, and
/// sums of addresses below it cannot wrap.
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
