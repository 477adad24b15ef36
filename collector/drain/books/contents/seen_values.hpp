/// What large heap blocks and anonymous mappings were seen to hold, and when, until the recording
/// ends: some of the bytes of each.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark {

/// Of all processes. Belongs to the collector's one thread.
class SeenValues {
 public:
  /// Blocks whose values are kept, those that are gone among them. Once half of them are, smaller
  /// ones than kLarge are passed over. Some 400 bytes each.
  static constexpr std::size_t kMaxBlocks = 65'536;
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 20U;

  /// The same values, as long as they were seen.
  struct Period {
    weights::BlockSample sample;
    std::uint64_t from_ns = 0;  ///< The last look that saw something else; 0: none did.
    std::uint64_t last_ns = 0;  ///< The last look that saw these.
    bool has_ended = false;     ///< A later look saw something else.

    /// When they were there last; trace::ValueMatch::kNever where nothing else was seen since.
    [[nodiscard]] std::uint64_t until_ns() const {
      return has_ended ? last_ns : trace::ValueMatch::kNever;
    }
  };
  /// Of one block, in order of time.
  struct History {
    static constexpr std::size_t kMaxPeriods = 4;
    trace::ProcessId process{0};
    std::uint64_t address = 0;
    std::vector<Period> periods;  ///< One at least.
    std::uint64_t other_ns = 0;   ///< The last look that saw nothing after there had been values.

    /// While no other values were seen it may have changed its size: the first one known.
    [[nodiscard]] std::uint64_t size() const { return periods.front().sample.size; }
  };
  /// A block in which nothing was seen so far.
  struct Empty {
    std::uint64_t size = 0;
    std::uint64_t last_ns = 0;
  };
  /// What a look has brought.
  enum class News : std::uint8_t {
    kNone,      ///< The same as before, nothing at all, or it is not kept for want of room.
    kFirst,     ///< The block's first values.
    kOther,     ///< Others than before.
    kReplaced,  ///< Others than before, and those are forgotten: it has changed too often.
  };

  /// @param address the block's.
  News keep(trace::ProcessId process, std::uint64_t address, const weights::BlockSample& sample);
  /// The look saw nothing: its pages were not in memory, or hold one number again and again.
  void keep_empty(const weights::BlockSample& sample);

  [[nodiscard]] const std::unordered_map<trace::AllocationNumber, History>& histories() const {
    return histories_;
  }
  [[nodiscard]] const std::unordered_map<trace::AllocationNumber, Empty>& empties() const {
    return empties_;
  }
  /// By size, the largest first: those of kLarge and more.
  [[nodiscard]] std::vector<const History*> large_but(
      const std::unordered_set<trace::AllocationNumber>& left_out) const;
  /// What it held then, as long as more than its header was the same; none where that was not kept.
  [[nodiscard]] std::optional<Period> period_at(trace::AllocationNumber allocation,
                                                std::uint64_t at_ns) const;
  [[nodiscard]] bool has_large() const;
  /// Whether a block was left out for want of room.
  [[nodiscard]] bool has_refused() const { return has_refused_; }

 private:
  std::unordered_map<trace::AllocationNumber, History> histories_;
  std::unordered_map<trace::AllocationNumber, Empty> empties_;
  bool has_refused_ = false;
};

}  // namespace tidemark
