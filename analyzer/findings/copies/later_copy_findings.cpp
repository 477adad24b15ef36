// Copies that stand behind the peak: what would be the peak without that which findings are about.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/following/model_follower.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

using Finder = void (*)(Evidence&, std::vector<Finding>&);

/// Those that go by what stands there at one time, not by the way of the weights to it.
constexpr std::array<Finder, 6> kCopyFinders{find_duplicates,     find_packed,
                                             find_plain_copies,   find_moved,
                                             find_most_by_values, find_others_by_values};

void add_to(Removal& removal, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    finding.remove_in(removal);
  }
}

/// Blocks that go, or of which something is saved already, are named.
std::vector<bool> lives_saved(const ModelFlow& flow, const Removal& removal) {
  std::unordered_set<trace::AllocationNumber> allocations;
  for (const auto& savings : removal.savings) {
    for (const Savings::Step& step : savings->sorted()) {
      allocations.insert(step.of.allocation);
    }
  }
  const std::unordered_set<trace::StackId> stacks(removal.stacks.begin(), removal.stacks.end());
  std::vector<bool> are_saved;
  are_saved.reserve(flow.lives.size());
  for (const BlockLife& life : flow.lives) {
    are_saved.push_back(allocations.contains(life.allocation) || stacks.contains(life.stack));
  }
  return are_saved;
}

/// The load as it would be seen at the peak that is left.
LoadFacts as_left(const LoadFacts& load, const RemainingPoint& left) {
  LoadFacts facts = load;
  facts.peak = {.footprint_bytes = left.lanes.footprint(), .at = left.at, .lanes = left.lanes};
  return facts;
}

void say_when(const LoadFacts& left, Finding& finding) {
  finding.sentence = fmt::format("Then the peak is at {}, {}: {}", format_time(left.peak.at.at_ns),
                                 format_size(left.peak.footprint_bytes), finding.sentence);
  finding.remedy += finding.remedy == "Without" ? " these too" : ", too";
}

/// At the highest instant that is left, unless that is the peak.
std::vector<Finding> copies_without(LoadedTrace& trace,
                                    const LoadFacts& load,
                                    const ModelFiles& files,
                                    Removal removal,
                                    std::span<const Finder> finders) {
  const LoadFacts left = as_left(load, LoadWithout(trace, removal).peak());
  if (trace.ordinal(left.peak.at) == trace.ordinal(load.peak.at)) {
    return {};
  }
  ModelFlow totals = follow_model(trace, left, files);
  const FlowIndex flow(totals);
  PlacedChain placed;  // What these finders name is in no chain.
  WhatIf what_if(trace);
  Evidence evidence = evidence_of(trace, left, totals, flow, placed, what_if);
  evidence.explained = lives_saved(totals, removal);
  evidence.removed = removal;
  std::vector<Finding> found;
  for (const Finder find : finders) {
    find(evidence, found);
  }
  const auto before = std::make_shared<const Removal>(std::move(removal));
  for (Finding& finding : found) {
    say_when(left, finding);
    finding.before = before;
  }
  return found;
}

}  // namespace

void find_copies_behind(LoadedTrace& trace,
                        const LoadFacts& load,
                        const ModelFiles& files,
                        std::vector<Finding>& findings) {
  Removal removal;
  add_to(removal, findings);
  if (removal.empty()) {
    return;
  }
  // What values tell of the blocks of that instant may be what was said already.
  constexpr std::array<Finder, 1> kPlainOnly{find_plain_copies};
  auto found = copies_without(trace, load, files, std::move(removal), kPlainOnly);
  std::ranges::move(found, std::back_inserter(findings));
}

void find_copies_in_turn(const Evidence& evidence,
                         const ModelFiles& files,
                         std::vector<Finding>& findings) {
  Evidence again = evidence;
  again.is_in_turn = true;
  std::vector<Finding> turns;
  for (const Finder find : kCopyFinders) {
    find(again, turns);
  }
  find_pieces(again, turns);
  if (turns.empty()) {
    return;
  }
  Removal removal;
  add_to(removal, findings);
  add_to(removal, turns);
  auto next =
      copies_without(evidence.trace, evidence.load, files, std::move(removal), kCopyFinders);
  if (next.empty()) {
    return;
  }
  // Behind what is lower by itself, before what is no reason for a lower one.
  const auto place = std::ranges::find_if(
      findings, [](const Finding& finding) { return !finding.peak_without_bytes; });
  std::ranges::move(next, std::back_inserter(turns));
  findings.insert(place, std::make_move_iterator(turns.begin()),
                  std::make_move_iterator(turns.end()));
}

}  // namespace tidemark::analyzer
