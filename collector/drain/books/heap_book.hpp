/// The heap lane: allocations, frees and reallocs.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/session/tick_clock.hpp"
#include "preload/wire/kinds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark {

class HeapBook {
 public:
  /// `sink` stays borrowed.
  explicit HeapBook(EventSink& sink) : sink_(sink) {}

  void see(Source& source, const wire::Allocate& allocation, const Behind& behind);
  void see(Source& source, const wire::Free& release, const Behind& behind);
  void see(Source& source, const wire::ReallocBegin& begin, const Behind& behind);
  void see(Source& source, const wire::ReallocEnd& end, const Behind& behind);
  void see(Source& source, const wire::ReallocFailed& failure, const Behind& behind);
  void see(Source& source, const wire::AllocationFailed& failure, const Behind& behind);

  /// True for allocations, frees and reallocs, which come in runs: see `see_run`.
  static constexpr bool is_run_kind(wire::RecordKind kind) {
    return kind >= wire::RecordKind::kAllocate && kind <= wire::RecordKind::kReallocEnd;
  }
  /// Whether a block of `bytes` may lie where bare memory is counted: then call
  /// MappingBook::end_bare_under first.
  [[nodiscard]] static bool may_be_in_bare(const Host& host, std::uint64_t bytes) {
    return LargeBlocks::is_large(bytes) && !host.tables.bare.is_empty();
  }
  /// Handles the records of such kinds at the front of `records` at once, with the same effect as
  /// `see`. Most records of most programs are of these kinds.
  /// @param until takes the first record in any case, further ones up to this time, in ticks.
  /// @return how many were taken; 0 if they must be handled one by one.
  std::size_t see_run(Source& source,
                      std::span<const RawRecord> records,
                      const TickClock& clock,
                      std::uint64_t until);

  /// Frees of unknown blocks, plus blocks whose free was never seen.
  [[nodiscard]] std::uint64_t unmatched_releases() const { return unmatched_releases_; }

 private:
  /// Events that are not in the trace yet.
  struct Run {
    /// A record makes at most two events: the allocation, and the release of a block at the same
    /// address whose free was missed.
    [[nodiscard]] bool is_full() const { return count + 2 > events.size(); }
    void add(const trace::HeapEvent& event) {
      events[count] = event;
      change.add(event, count++);
    }
    void add_release(const LiveBlock& block, std::uint64_t at_ns);
    /// @param record of the allocation, kAllocate or kReallocEnd. @return the new block.
    LiveBlock add_allocation(const RawRecord& record, trace::StackId stack, std::uint64_t at_ns);

    std::array<trace::HeapEvent, 512> events;
    std::size_t count = 0;
    trace::HeapChange change;  ///< By the events so far.
    trace::AllocationNumber next_number = 0;
  };

  /// @param replaced the block that was there: its free was missed, as made inside an allocator, or
  /// dropped.
  /// @return whether there was one.
  bool put(const Source& source,
           std::uint64_t address,
           const LiveBlock& block,
           LiveBlock& replaced);
  void place(const Source& source, std::uint64_t address, const LiveBlock& block);
  /// @param at_ns time of the release, or earlier.
  static bool take(Source& source, std::uint64_t address, std::uint64_t at_ns, LiveBlock& taken);
  static void expect(const Source& source, std::span<const RawRecord> following);

  void allocate_in_run(Source& source,
                       const RawRecord& record,
                       std::span<const RawRecord> following,
                       std::uint64_t at_ns);
  void free_in_run(Source& source, std::uint64_t address, std::uint64_t at_ns);
  void begin_realloc(Source& source, std::uint64_t address, std::uint64_t at_ns);
  void end_realloc_in_run(Source& source, const RawRecord& record, std::uint64_t at_ns);
  void place_in_run(Source& source,
                    std::uint64_t address,
                    const LiveBlock& block,
                    std::uint64_t at_ns);

  Run run_;  ///< In see_run.
  EventSink& sink_;
  std::uint64_t unmatched_releases_ = 0;
};

}  // namespace tidemark
