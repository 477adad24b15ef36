/// Gathers a ModelFlow from the events of a trace, seen in order.
#pragma once

#include "analyzer/flow/following/flow_touches.hpp"
#include "analyzer/flow/following/life_table.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/model_flow.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tidemark::analyzer {

/// Bounds that decide which blocks are of interest.
struct FlowBounds {
  std::uint64_t peak = 0;  ///< How many events there were before it.
  std::uint64_t peak_bytes = 0;
  std::uint64_t notable_bytes = 0;  ///< Smallest kept block without model bytes.
};

/// Keeps all live large blocks, and those dead ones that are of interest.
class FlowCollector {
 public:
  /// `trace` and `files` stay borrowed.
  FlowCollector(const LoadedTrace& trace, const ModelFiles& files, const FlowBounds& bounds);
  ~FlowCollector() = default;
  FlowCollector(const FlowCollector&) = delete;
  FlowCollector& operator=(const FlowCollector&) = delete;
  FlowCollector(FlowCollector&&) = delete;
  FlowCollector& operator=(FlowCollector&&) = delete;

  /// @param footprint after the event.
  void see(const trace::Event& event, trace::EventOrdinal ordinal, std::uint64_t footprint);
  /// Whether a number is that of a large block that is alive.
  [[nodiscard]] bool knows(trace::AllocationNumber allocation) const {
    return lives_.knows(allocation);
  }
  /// Releases of smaller heap blocks need not be seen.
  [[nodiscard]] std::uint64_t least_release_bytes() const { return smallest_; }
  /// @param short_life_ns The longest lifetime that counts as short, to within a thirtieth.
  [[nodiscard]] ModelFlow take(std::uint64_t short_life_ns);

  // See `follow`.
  void begin(const trace::Event& event);
  void move(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);

 private:
  struct Now {
    trace::EventOrdinal ordinal = 0;
    std::uint64_t ns = 0;
    std::uint64_t footprint = 0;
  };

  void note_plateau();
  std::uint32_t add_life(const trace::Event& event);
  /// @param before its number until now, where it gets another.
  void note_resize(std::uint32_t index,
                   std::int64_t change,
                   trace::AllocationNumber before = trace::kNoAllocation);
  void begin_again(trace::AllocationNumber allocation,
                   std::int64_t change,
                   const trace::Event& event);
  void end_life(std::uint32_t index, bool swept);
  [[nodiscard]] bool is_worth_keeping(const BlockLife& life) const;
  void thin_resizes();
  void set_short_life(std::uint64_t short_life_ns);

  const LoadedTrace& trace_;
  const ModelFiles& files_;
  FlowBounds bounds_;
  LifeTable lives_;
  FlowTouches touches_;  // Borrows `lives_`.
  Now now_;
  ModelFlow flow_;
  std::uint64_t smallest_ = kLargeBlockBytes;                  // That any life ever was.
  std::unordered_map<std::uint64_t, trace::StackId> emptied_;  // Mappings without a byte now.
  // Bytes of blocks that went, by StackId and length of their lives: see `length_class`.
  std::unordered_map<std::uint64_t, std::uint64_t> lengths_;
  std::size_t most_resizes_ = std::size_t{1} << 18U;  // Then those of no use are removed,
  static constexpr std::size_t kMaxResizes = std::size_t{1} << 20U;  // and neighbours joined.
};

}  // namespace tidemark::analyzer
