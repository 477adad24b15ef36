/// Finds the phase in which an allocation was made from its number alone.
#pragma once

#include "analyzer/load/phases.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Allocations are numbered in the order of their events, so a phase corresponds to a range of
/// numbers. This gives the answer of `phase_at` without decoding the events.
class AllocationPhases {
 public:
  /// `phases` must be in order of their begin. Decodes the blocks in which one begins or ends.
  AllocationPhases(LoadedTrace& trace, std::span<const Phase> phases);

  /// The index of the innermost phase that was open then, as returned by `phase_at`.
  [[nodiscard]] std::optional<std::size_t> at(trace::AllocationNumber number,
                                              trace::ThreadId thread) const;

 private:
  static constexpr std::size_t kNoPhase = SIZE_MAX;
  /// From an allocation on, until the next one's.
  struct Segment {
    trace::AllocationNumber first = 0;
    std::size_t phase = kNoPhase;
  };
  using Segments = std::vector<Segment>;

  struct Border {
    trace::AllocationNumber at = 0;
    std::size_t phase = 0;
    bool begins = false;
  };
  static Segments segments_of(std::vector<Border> borders);
  static std::size_t found_in(const Segments& segments, trace::AllocationNumber number);

  Segments all_;
  std::unordered_map<std::uint32_t, Segments> by_thread_;  // Marked phases, by ThreadId.
};

}  // namespace tidemark::analyzer
