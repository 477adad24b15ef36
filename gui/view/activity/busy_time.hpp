/// For how long any of several things went on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// Memory: 16 bytes for each time with a gap before it.
class BusyTime {
 public:
  /// In the order of their ends.
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
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times_;  // Apart from each other.
};

}  // namespace tidemark::gui
