/// A set of allocation numbers, one bit each.
#pragma once

#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

namespace tidemark::analyzer {

/// 100 M numbers take 12.5 MB. Pages are allocated when a number in them is first inserted, and
/// numbers that no recorder could reach (in a damaged or hostile trace) go to a sparse set, so
/// memory is bounded by the count of inserted numbers and by 1 GiB of pages.
class AllocationSet {
 public:
  void insert(trace::AllocationNumber number);
  [[nodiscard]] bool contains(trace::AllocationNumber number) const;

 private:
  static constexpr std::uint64_t kPageBits = 1U << 15U;
  static constexpr std::uint64_t kDenseLimit = std::uint64_t{1} << 33U;
  using Page = std::array<std::uint64_t, kPageBits / 64>;

  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_set<std::uint64_t> sparse_;
};

}  // namespace tidemark::analyzer
