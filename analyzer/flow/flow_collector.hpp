/// Gathers a ModelFlow from the events of a trace, seen in order.
#pragma once

#include "analyzer/flow/departure_list.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/model_flow.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/flow/plain_copies.hpp"
#include "analyzer/query/live/allocation_set.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark::analyzer {

/// What decides which blocks are of interest.
struct FlowBounds {
  std::uint64_t peak = 0;  ///< How many events there were before it.
  std::uint64_t peak_bytes = 0;
  std::uint64_t notable_bytes = 0;  ///< Blocks without bytes of the model are kept from here on.
};

/// Remembers each large block that is alive, and of the dead those that have something to tell.
class FlowCollector {
 public:
  /// `trace` and `files` stay borrowed.
  FlowCollector(const LoadedTrace& trace, const ModelFiles& files, const FlowBounds& bounds);

  /// @param footprint after the event.
  void see(const trace::Event& event, trace::EventOrdinal ordinal, std::uint64_t footprint);
  /// Whether a number is that of a large block that is alive.
  [[nodiscard]] bool knows(trace::AllocationNumber allocation) const {
    return ever_known_.contains(allocation) && alive_.contains(allocation);
  }
  /// Releases of smaller heap blocks need not be seen.
  [[nodiscard]] std::uint64_t least_release_bytes() const { return smallest_; }
  /// @param short_life_ns The longest life that is a short one, give or take a thirtieth.
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
  static constexpr std::size_t kMaxLives = 250'000;

  void note_plateau();
  void read(const trace::Event& event);
  void read_into(const trace::Event& event);
  void fill(const trace::Event& event);
  void copy(const trace::Event& event);

  [[nodiscard]] std::uint32_t find(trace::AllocationNumber allocation) const;
  BlockLife& life(std::uint32_t index) { return flow_.lives[index]; }
  std::uint32_t add_life(const trace::Event& event);
  void note_resize(std::uint32_t index, std::int64_t change);
  void begin_again(trace::AllocationNumber allocation,
                   std::int64_t change,
                   const trace::Event& event);
  void end_life(std::uint32_t index, bool swept);
  [[nodiscard]] bool is_worth_keeping(const BlockLife& life) const;
  [[nodiscard]] bool is_growth(const BlockLife& from, const BlockLife& into, std::uint64_t bytes);
  void arrive(const trace::Event& event, std::uint32_t from, std::uint32_t into);
  void move(std::uint32_t from, std::uint32_t into, std::uint64_t bytes);
  void note_plain(const trace::Event& event,
                  std::uint32_t from,
                  std::uint32_t into,
                  bool is_growth);
  void depart(const trace::Event& event, std::uint32_t from, std::uint32_t into, bool is_growth);

  void thin_resizes();
  void set_short_life(std::uint64_t short_life_ns);

  const LoadedTrace& trace_;
  const ModelFiles& files_;
  FlowBounds bounds_;
  Places places_;
  Now now_;
  ModelFlow flow_;
  std::uint64_t smallest_ = kLargeBlockBytes;                  // That any life ever was.
  AllocationSet ever_known_;                                   // Asked first: most are not.
  std::unordered_map<std::uint64_t, std::uint32_t> alive_;     // Allocation to life.
  std::unordered_map<std::uint64_t, trace::StackId> emptied_;  // Mappings without a byte now.
  // Bytes of blocks that went, by StackId and length of their lives: see `length_class`.
  std::unordered_map<std::uint64_t, std::uint64_t> lengths_;
  std::vector<std::uint32_t> unused_;  // Lives that were not kept.
  DepartureList departures_;
  PlainCopies plain_copies_;                   // Between blocks that came before the peak.
  std::unordered_set<std::uint32_t> reading_;  // Threads whose last read was of the model.
  std::uint64_t seen_read_bytes_ = 0;
  std::size_t most_resizes_ = std::size_t{1} << 18U;  // Then those of no use are removed,
  static constexpr std::size_t kMaxResizes = std::size_t{1} << 20U;  // and neighbours joined.
};

}  // namespace tidemark::analyzer
