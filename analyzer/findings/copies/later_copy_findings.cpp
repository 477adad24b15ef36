// Copies at other instants than the peak: what would be the peak without that which findings are
// about.
//
// Copies count in any of the ways in which `twice` is told: by copies, by values, by sizes, by
// order, or as chunks.
//
// In turn: without the copies at the peak another instant is as high, and at that instant there are
// others. All are told, each but the first with "Then the peak is at", if the peak is lower without
// those of up to four such instants.
//
// Then: copies at the instant, after the model was first read, that is the highest without what all
// other findings name, if that is a quarter above W; then at the one without these, too; three in
// all. The finding says when, and its peak is the one without them all (`Without these too`). What
// others save at that instant is passed over; what they give back later is not.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/following/model_follower.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

using Finder = void (*)(Evidence&, std::vector<Finding>&);

/// Those that tell which of two there is too much, in the order of all finders.
constexpr std::array<Finder, 9> kCopyFinders{
    find_copies,           find_duplicates,   find_most_by_values, find_packed, find_tensors,
    find_others_by_values, find_plain_copies, find_moved,          find_alike};

void add_to(Removal& removal, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    finding.remove_in(removal);
  }
}

/// Blocks of which something is saved after `events` events are named: one that is held too long is
/// whole before that.
std::vector<bool> lives_saved(const ModelFlow& flow,
                              const Removal& removal,
                              trace::EventOrdinal events) {
  std::unordered_set<trace::AllocationNumber> allocations;
  for (const auto& savings : removal.savings) {
    std::unordered_map<trace::AllocationNumber, std::int64_t> saved;
    for (const Savings::Step& step : savings->sorted()) {
      saved[step.of.allocation] += step.ordinal < events ? step.bytes : 0;
    }
    for (const auto& [allocation, bytes] : saved) {
      if (bytes > 0) {
        allocations.insert(allocation);
      }
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

/// The copies of one instant.
struct CopiesThen {
  std::vector<Finding> findings;
  bool is_in_turn = false;  ///< Without them another instant is as high.
};

std::vector<Finding> find_with(Evidence evidence) {
  std::vector<Finding> found;
  for (const Finder find : kCopyFinders) {
    find(evidence, found);
  }
  return found;
}

/// At the highest instant that is left, unless that is the peak, or before the model was read.
CopiesThen copies_without(LoadedTrace& trace,
                          const LoadFacts& load,
                          const ModelFiles& files,
                          const Removal& removal) {
  const LoadFacts left = as_left(load, LoadWithout(trace, removal).peak());
  if (trace.ordinal(left.peak.at) == trace.ordinal(load.peak.at) ||
      left.peak.at.at_ns < model_first_use_ns(load) ||
      !load.is_well_above_model(left.peak.footprint_bytes)) {
    return {};
  }
  ModelFlow totals = follow_model(trace, left, files);
  const FlowIndex flow(totals);
  // With the nodes of the report's own chain: these do not depend on when the peak is.
  const PlacedChain placed = build_chain(flow, totals, files, left, trace);
  WhatIf what_if(trace);
  Evidence evidence = evidence_of(trace, left, totals, flow, placed, what_if);
  evidence.explained = lives_saved(totals, removal, evidence.peak);
  evidence.removed = removal;
  CopiesThen then{.findings = find_with(evidence)};
  if (then.findings.empty()) {
    evidence.is_in_turn = then.is_in_turn = true;
    then.findings = find_with(evidence);
  }
  const auto before = std::make_shared<const Removal>(removal);
  for (Finding& finding : then.findings) {
    say_when(left, finding);
    finding.before = before;
  }
  return then;
}

/// The copies at the peaks that are left, one after the other, after `turns`: such that leave
/// another instant as high are told where those at a later one lower the peak.
/// @param removal what other findings and `turns` take away.
std::vector<Finding> follow_peaks(LoadedTrace& trace,
                                  const LoadFacts& load,
                                  const ModelFiles& files,
                                  Removal removal,
                                  std::vector<Finding> turns) {
  constexpr std::size_t kMaxPeaksLeft = 3;  // Each takes a way through all events.
  std::vector<Finding> told;
  for (std::size_t i = 0; i < kMaxPeaksLeft; ++i) {
    CopiesThen then = copies_without(trace, load, files, removal);
    if (then.findings.empty()) {
      break;
    }
    add_to(removal, then.findings);
    std::ranges::move(then.findings, std::back_inserter(turns));
    if (!then.is_in_turn) {
      std::ranges::move(turns, std::back_inserter(told));
      turns.clear();
    }
  }
  return told;
}

/// Behind what is lower by itself, before what is no reason for a lower one.
void insert(std::vector<Finding> found, std::vector<Finding>& findings) {
  const auto place = std::ranges::find_if(
      findings, [](const Finding& finding) { return !finding.peak_without_bytes; });
  findings.insert(place, std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
}

}  // namespace

void find_copies_behind(LoadedTrace& trace,
                        const LoadFacts& load,
                        const ModelFiles& files,
                        std::vector<Finding>& findings) {
  Removal removal;
  add_to(removal, findings);
  if (!removal.empty()) {
    insert(follow_peaks(trace, load, files, std::move(removal), {}), findings);
  }
}

void find_copies_in_turn(const Evidence& evidence,
                         const ModelFiles& files,
                         std::vector<Finding>& findings) {
  Evidence again = evidence;
  again.is_in_turn = true;
  std::vector<Finding> turns = find_with(again);
  find_pieces(again, turns);
  if (turns.empty()) {
    return;
  }
  Removal removal;
  add_to(removal, findings);
  add_to(removal, turns);
  insert(follow_peaks(evidence.trace, evidence.load, files, std::move(removal), std::move(turns)),
         findings);
}

}  // namespace tidemark::analyzer
