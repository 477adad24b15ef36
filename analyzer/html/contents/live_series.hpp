/// The live sets at many instants, computed in one go.
#pragma once

#include "analyzer/query/live/live_set.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::html {

/// How much more (or less) one stack holds in one lane at an instant than at the previous one.
struct LiveChange {
  std::size_t instant = 0;  ///< Index into the instants.
  trace::StackId stack = trace::kNoStack;
  trace::Lane lane = trace::Lane::kHeap;
  std::int64_t bytes = 0;
  std::int64_t blocks = 0;
};

/// In order of instants, stacks and lanes. The sum up to instant i gives the stacks of
/// analyzer::live_set_at there.
///
/// `instants` must be in order of their positions, and at most analyzer::kMaxSpanInstants.
/// Memory is that of analyzer::visit_live_spans, and one entry a change.
std::vector<LiveChange> live_changes(analyzer::LoadedTrace& trace,
                                     std::span<const analyzer::Instant> instants);

}  // namespace tidemark::html
