/// For how long at least one of several activities went on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// Memory: 16 bytes for each uninterrupted interval.
class BusyTime {
 public:
  /// Call in order of the ends.
  void add(std::uint64_t begin_ns, std::uint64_t end_ns) {
    while (!times_.empty() && times_.back().second >= begin_ns) {
      begin_ns = std::min(begin_ns, times_.back().first);
      times_.pop_back();
    }
    times_.emplace_back(begin_ns, end_ns);
  }

  [[nodiscard]] std::uint64_t total_ns() const {
    std::uint64_t total = 0;
    for (const auto& [begin_ns, end_ns] : times_) {
      total += end_ns - begin_ns;
    }
    return total;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times_;  // Disjoint, in order.
};

}  // namespace tidemark::gui
