/// The lives of large blocks: all live ones, and the dead ones that are kept.
#pragma once

#include "analyzer/flow/model_flow.hpp"
#include "analyzer/query/live/allocation_set.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// A life has one index as long as it is kept, and its allocation's number as long as it is alive.
/// The index of one that was not kept is given to another life.
class LifeTable {
 public:
  /// Whether a number is that of a block that is alive.
  [[nodiscard]] bool knows(trace::AllocationNumber allocation) const {
    return ever_known_.contains(allocation) && alive_.contains(allocation);
  }
  /// BlockLife::kNone if there is no such block.
  [[nodiscard]] std::uint32_t find(trace::AllocationNumber allocation) const;
  BlockLife& operator[](std::uint32_t index) { return lives_[index]; }
  [[nodiscard]] std::size_t size() const { return lives_.size(); }

  /// Adds a live block, under `life.allocation`.
  /// @return BlockLife::kNone if there are too many.
  std::uint32_t add(const BlockLife& life);
  /// A live block gets another number.
  void renumber(std::uint32_t index,
                trace::AllocationNumber from,
                trace::AllocationNumber allocation);
  /// No longer alive.
  void remove(trace::AllocationNumber allocation) { alive_.erase(allocation); }
  /// The same for all live blocks for which `ends(index)` is true.
  template <typename Ends>
  void remove_if(Ends&& ends) {
    std::erase_if(alive_, [&ends](const auto& entry) { return ends(entry.second); });
  }
  /// Drops a dead life that is of no interest.
  void forget(std::uint32_t index);

  template <typename Visit>
  void for_each_alive(Visit&& visit) {
    for (const auto& [allocation, index] : alive_) {
      visit(lives_[index]);
    }
  }

  /// Blocks dropped for lack of space.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::vector<BlockLife> take() { return std::move(lives_); }

 private:
  static constexpr std::size_t kMaxLives = 250'000;

  std::vector<BlockLife> lives_;
  AllocationSet ever_known_;                                // Asked first: most are not.
  std::unordered_map<std::uint64_t, std::uint32_t> alive_;  // Allocation to life.
  std::vector<std::uint32_t> unused_;                       // Lives that were not kept.
  std::uint64_t left_out_ = 0;
};

}  // namespace tidemark::analyzer
