/// Between which instants each allocation was released.
#pragma once

#include "collector/trace/types/event.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Two bytes per allocation. Filled from the end of a trace to its start, it holds only the pages
/// of numbers between the current one and the highest whose release was met.
class ReleaseIntervals {
 public:
  static constexpr std::size_t kMaxIntervals = UINT16_MAX;

  /// Numbers from `count` on, which occur only in a damaged trace, are stored individually.
  explicit ReleaseIntervals(std::uint64_t count) : pages_(count / kPageNumbers + 1) {}

  /// `interval` < kMaxIntervals.
  void set(trace::AllocationNumber number, std::size_t interval) {
    const auto page = number / kPageNumbers;
    if (page >= pages_.size()) {
      others_[number] = interval;
      return;
    }
    if (!pages_[page]) {
      pages_[page] = std::make_unique<Page>();
    }
    (*pages_[page])[number % kPageNumbers] = static_cast<std::uint16_t>(interval + 1);
  }
  [[nodiscard]] std::optional<std::size_t> at(trace::AllocationNumber number) const {
    const auto page = number / kPageNumbers;
    if (page >= pages_.size()) {
      const auto other = others_.find(number);
      return other == others_.end() ? std::nullopt : std::optional(other->second);
    }
    const std::uint16_t coded = pages_[page] ? (*pages_[page])[number % kPageNumbers] : 0;
    return coded == 0 ? std::nullopt : std::optional<std::size_t>(coded - 1);
  }
  /// No number from `number` on will be asked for again.
  void forget_from(trace::AllocationNumber number) {
    for (auto page = number / kPageNumbers + 1; page < pages_.size(); ++page) {
      pages_[page].reset();
    }
    pages_.resize(std::min<std::size_t>(pages_.size(), number / kPageNumbers + 1));
  }

 private:
  static constexpr std::uint64_t kPageNumbers = 4096;
  using Page = std::array<std::uint16_t, kPageNumbers>;  // 0: no release was met.

  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<std::uint64_t, std::size_t> others_;
};

}  // namespace tidemark::analyzer
