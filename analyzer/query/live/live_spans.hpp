/// What was alive at many instants, found in one walk.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tidemark::analyzer {

/// The most instants that can be asked about at once.
constexpr std::size_t kMaxSpanInstants = 60'000;

/// An allocation with the instants `first` to `end` - 1, at each of which it is alive with `bytes`
/// bytes. A resized allocation has a span for each size, in order of time.
struct LiveSpan {
  const trace::Event& allocation;  ///< Its number, stack, thread and lane are known.
  std::uint64_t bytes = 0;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Calls `visit` for every allocation that is alive at one of the instants or more, the last one
/// first: at each instant they are what visit_live finds there.
///
/// `instants` must be in order of their positions, and at most kMaxSpanInstants. One backward pass:
/// at a release, notes between which instants it lies; at its allocation, knows at which of them it
/// was alive. Memory: two bytes for each allocation whose release was met before it. Only blocks
/// with an instant inside, or with the end of a process, are decoded.
void visit_live_spans(LoadedTrace& trace,
                      std::span<const Instant> instants,
                      const std::function<void(const LiveSpan& span)>& visit);

}  // namespace tidemark::analyzer
