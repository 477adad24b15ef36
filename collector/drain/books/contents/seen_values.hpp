/// Samples of the bytes that large heap blocks and anonymous mappings were seen to hold, and when,
/// kept until the recording ends.
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

/// For all processes. Used only by the collector's single thread.
class SeenValues {
 public:
  /// Blocks whose values are kept, including those that are gone; some 400 bytes each. Once half of
  /// this is used, blocks smaller than kLarge are ignored.
  static constexpr std::size_t kMaxBlocks = 65'536;
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 20U;
  /// Blocks of this size are compared with whole files: an arena of kLarge, without its ends, is.
  static constexpr std::uint64_t kCompared = kLarge - kLarge / 8;

  /// A period in which the same values were seen.
  struct Period {
    weights::BlockSample sample;
    std::uint64_t from_ns = 0;  ///< The last look before that saw something else; 0: none.
    std::uint64_t last_ns = 0;  ///< The last look that saw these.
    bool has_ended = false;     ///< A later look saw something else.

    /// When they were last there; trace::ValueMatch::kNever if nothing else was seen since.
    [[nodiscard]] std::uint64_t until_ns() const {
      return has_ended ? last_ns : trace::ValueMatch::kNever;
    }
  };
  /// The periods of one block, in order of time.
  struct History {
    static constexpr std::size_t kMaxPeriods = 4;
    trace::ProcessId process{0};
    std::uint64_t address = 0;
    std::vector<Period> periods;  ///< One at least.
    std::uint64_t other_ns = 0;   ///< The last look that saw nothing, after values had been seen.

    /// The first known size; the block may have been resized while its values stayed the same.
    [[nodiscard]] std::uint64_t size() const { return periods.front().sample.size; }
  };
  /// A block in which nothing was seen so far.
  struct Empty {
    std::uint64_t size = 0;
    std::uint64_t last_ns = 0;
  };
  /// What a look has brought.
  enum class News : std::uint8_t {
    kNone,      ///< The same as before, nothing, or no room to keep it.
    kFirst,     ///< The block's first values.
    kOther,     ///< Other values than before.
    kReplaced,  ///< Other values, replacing the last: it has changed too often.
  };

  /// @param address the block's.
  News keep(trace::ProcessId process, std::uint64_t address, const weights::BlockSample& sample);
  /// The look saw nothing: the pages were not in memory, or hold a single number throughout.
  void keep_empty(const weights::BlockSample& sample);

  [[nodiscard]] const std::unordered_map<trace::AllocationNumber, History>& histories() const {
    return histories_;
  }
  [[nodiscard]] const std::unordered_map<trace::AllocationNumber, Empty>& empties() const {
    return empties_;
  }
  /// Those of at least kCompared bytes, the largest first.
  [[nodiscard]] std::vector<const History*> large_but(
      const std::unordered_set<trace::AllocationNumber>& left_out) const;
  /// What a block held at `at_ns`, over the time in which all but its header was the same; none if
  /// that was not kept.
  [[nodiscard]] std::optional<Period> period_at(trace::AllocationNumber allocation,
                                                std::uint64_t at_ns) const;
  [[nodiscard]] bool has_large() const;
  /// Whether a block was left out for lack of room.
  [[nodiscard]] bool has_refused() const { return has_refused_; }

 private:
  std::unordered_map<trace::AllocationNumber, History> histories_;
  std::unordered_map<trace::AllocationNumber, Empty> empties_;
  bool has_refused_ = false;
};

}  // namespace tidemark
