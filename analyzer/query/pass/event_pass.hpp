/// One pass over a trace for several listeners: no block is decoded twice.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/query/pass/excerpt.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

class EventPass;

/// One block, while the pass is at it.
class PassedBlock {
 public:
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] const trace::BlockSummary& summary() const { return summary_; }
  /// Null if the file has none, or one that does not cover all events.
  [[nodiscard]] const trace::BlockDigest* digest() const { return digest_; }
  /// The block's significant events, with all releases of at least `least_release_bytes`; null if
  /// it is damaged. Decoded now if no listener needed the events.
  const Excerpt* excerpt(std::uint64_t least_release_bytes = kLargeBlockBytes);

 private:
  friend class EventPass;
  PassedBlock(EventPass& pass,
              std::size_t number,
              const trace::BlockSummary& summary,
              const trace::BlockDigest* digest,
              const Excerpt* excerpt)
      : pass_(pass), number_(number), summary_(summary), digest_(digest), excerpt_(excerpt) {}

  EventPass& pass_;
  std::size_t number_;
  const trace::BlockSummary& summary_;
  const trace::BlockDigest* digest_;
  const Excerpt* excerpt_;
  bool is_damaged_ = false;
};

class PassListener {
 public:
  virtual ~PassListener() = default;

  /// Whether a block's events are needed although its digest covers all of them. Called ahead, on
  /// other threads: the result may depend only on the arguments and immutable state.
  [[nodiscard]] virtual bool needs_events(std::size_t block,
                                          const trace::BlockSummary& summary,
                                          const trace::BlockDigest& digest) const = 0;
  /// Called for every block in order, damaged ones too.
  virtual void see(PassedBlock& block) = 0;
};

/// Makes one pass over the trace. Blocks whose digest is enough for all listeners are not decoded.
/// Damage found is added to the trace's loss. Memory: a few excerpts.
/// @param samples as made by resident_series.
void run_pass(LoadedTrace& trace,
              const std::vector<ResidentTotals>& samples,
              std::span<PassListener* const> listeners);

}  // namespace tidemark::analyzer
