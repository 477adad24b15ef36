// Copies that stand behind the peak: what would be the peak without that which findings are about.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/following/model_follower.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <unordered_set>
#include <vector>

namespace tidemark::analyzer {
namespace {

using SharedSavings = std::vector<std::shared_ptr<const Savings>>;

SharedSavings savings_of(const std::vector<Finding>& findings) {
  SharedSavings all;
  for (const Finding& finding : findings) {
    if (finding.savings != nullptr) {
      all.push_back(finding.savings);
    }
  }
  return all;
}

/// Blocks of which something is saved already are named.
std::vector<bool> lives_saved(const ModelFlow& flow, const SharedSavings& all) {
  std::unordered_set<trace::AllocationNumber> allocations;
  for (const auto& savings : all) {
    for (const Savings::Step& step : savings->sorted()) {
      allocations.insert(step.of.allocation);
    }
  }
  std::vector<bool> are_saved;
  are_saved.reserve(flow.lives.size());
  for (const BlockLife& life : flow.lives) {
    are_saved.push_back(allocations.contains(life.allocation));
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
  finding.remedy = "Without these too";
}

}  // namespace

void find_copies_behind(LoadedTrace& trace,
                        const LoadFacts& load,
                        const ModelFiles& files,
                        std::vector<Finding>& findings) {
  Removal removal{.savings = savings_of(findings), .stacks = {}, .allocations = {}};
  if (removal.savings.empty()) {
    return;
  }
  const LoadFacts left = as_left(load, LoadWithout(trace, removal).peak());
  if (trace.ordinal(left.peak.at) == trace.ordinal(load.peak.at)) {
    return;
  }
  ModelFlow totals = follow_model(trace, left, files);
  const FlowIndex flow(totals);
  PlacedChain placed;  // Plain copies are of blocks that no chain has.
  WhatIf what_if(trace);
  Evidence evidence = evidence_of(trace, left, totals, flow, placed, what_if);
  evidence.explained = lives_saved(totals, removal.savings);
  evidence.saved_before = removal.savings;
  std::vector<Finding> found;
  find_plain_copies(evidence, found);
  for (Finding& finding : found) {
    say_when(left, finding);
  }
  findings.insert(findings.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
}

}  // namespace tidemark::analyzer
