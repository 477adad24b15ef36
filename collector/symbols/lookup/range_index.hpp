/// Which range is an address in? Built once, asked often.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark {

/// Half-open ranges with a value each. Ranges may overlap and nest: the one that begins last wins,
/// which for nested ranges is the innermost.
template <typename Value>
class RangeIndex {
 public:
  void add(std::uint64_t begin, std::uint64_t end, Value value) {
    // Linkers leave ranges at 0, or backward ones, behind for code they threw away.
    if (begin != 0 && begin < end) {
      entries_.push_back({begin, end, 0, std::move(value)});
    }
  }

  /// Call between the last `add` and the first `find`.
  void seal() {
    std::ranges::stable_sort(entries_, {}, &Entry::begin);
    std::uint64_t reach = 0;
    for (Entry& entry : entries_) {
      reach = std::max(reach, entry.end);
      entry.reach = reach;
    }
  }

  /// @return null when no range has the address; else valid until the next `add`.
  [[nodiscard]] const Value* find(std::uint64_t address) const {
    auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::begin);
    // Going back ends where nothing earlier reaches this far.
    while (after != entries_.begin() && (--after)->reach > address) {
      if (after->end > address) {
        return &after->value;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t reach;  ///< Largest `end` of this entry and all before it.
    Value value;
  };
  std::vector<Entry> entries_;
};

}  // namespace tidemark
