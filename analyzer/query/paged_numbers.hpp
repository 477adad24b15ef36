/// A number for each id of a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark::analyzer {

/// Holds a number for each id, 0 until it is set. Found without a search: where hundreds of
/// thousands of ids are looked up millions of times, a hash table takes several times as long.
/// Memory: four bytes for each id of the pages that are in use, and eight for each page below the
/// highest, so that an id outside every table, as a damaged trace may have, takes 8 MiB at most.
class PagedNumbers {
 public:
  std::uint32_t& operator[](std::uint32_t id) {
    const std::size_t page = id / kPageIds;
    if (page >= pages_.size()) {
      pages_.resize(page + 1);
    }
    if (pages_[page] == nullptr) {
      pages_[page] = std::make_unique<Page>();
    }
    return (*pages_[page])[id % kPageIds];
  }

 private:
  static constexpr std::size_t kPageIds = 4096;
  using Page = std::array<std::uint32_t, kPageIds>;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace tidemark::analyzer
