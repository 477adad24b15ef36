// Heap blocks that were asked for and never used, by looks at their pages.
//
// `untouched`: looks at heap blocks of 1 MiB and more at the peak never found a sixteenth or more
// of those of one place in memory. The last look was right before the block was freed, or in the
// last two thirds of its life. What may have been touched after that, at the rate of the last two
// looks, is taken off. Blocks that another finding takes away do not count; one that it names and
// leaves does.
// Without a model: a tenth of the peak and 16 MiB were never resident, by the samples.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/block_looks.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks of one place with parts that were never touched.
struct Untouched {
  std::uint64_t bytes = 0;
  std::uint64_t untouched_bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<std::uint32_t> lives;
  trace::StackId stack = trace::kNoStack;
  Savings savings;
};

/// Blocks that are never freed are last looked at some time before the end, and may have been
/// filled since: then more is resident than the rest of them allows.
bool are_filled_since(const Evidence& evidence, const BlockLooks& looks) {
  constexpr std::uint64_t kNegligiblePart = 20;
  constexpr std::uint64_t kNegligibleBytes = std::uint64_t{1} << 20U;
  std::uint64_t untouched = 0;
  for (const BlockLife& life : evidence.flow.lives()) {
    if (life.swept && life.is_alive_after(evidence.peak)) {
      untouched += looks.untouched_bytes(life, evidence.load.duration_ns);
    }
  }
  const std::uint64_t at_most = evidence.load.untouched_at_most_bytes();
  return untouched > at_most + at_most / kNegligiblePart + kNegligibleBytes;
}

/// By life, whether a finding takes it away: then its untouched part goes, too. One that is named
/// beside such a block, as the other of two copies, stays.
std::vector<bool> taken_away(const Evidence& evidence, const std::vector<Finding>& findings) {
  std::unordered_set<trace::AllocationNumber> allocations;
  std::unordered_set<std::uint32_t> stacks;
  for (const Finding& finding : findings) {
    for (const trace::StackId stack : finding.stacks) {
      stacks.insert(trace::index(stack));
    }
    if (finding.savings != nullptr) {
      for (const Savings::Step& step : finding.savings->sorted()) {
        allocations.insert(step.of.allocation);
      }
    }
  }
  std::vector<bool> taken;
  for (const BlockLife& life : evidence.flow.lives()) {
    taken.push_back(allocations.contains(life.allocation) ||
                    stacks.contains(trace::index(life.stack)));
  }
  return taken;
}

/// By place, not by block: which of several like blocks is used a little more differs from run to
/// run.
std::map<std::uint32_t, Untouched> untouched_by_place(const Evidence& evidence,
                                                      const std::vector<Finding>& findings) {
  const std::vector<bool> is_taken_away = taken_away(evidence, findings);
  const BlockLooks looks(evidence.trace.definitions());
  const bool is_end_unknown = are_filled_since(evidence, looks);
  Places& places = *evidence.places;
  std::map<std::uint32_t, Untouched> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (is_taken_away[i] || evidence.is_slack_told[i] || !lives[i].is_alive_after(evidence.peak) ||
        (is_end_unknown && lives[i].swept)) {
      continue;
    }
    const std::uint64_t bytes = looks.untouched_bytes(lives[i], evidence.load.duration_ns);
    if (bytes == 0) {
      continue;
    }
    Untouched& place = by_place[places.of(lives[i].stack)];
    const std::uint64_t size = evidence.flow.size_after(i, evidence.peak - 1);
    place.bytes += size;
    place.untouched_bytes += std::min(bytes, size);
    place.stack = lives[i].stack;
    ++place.blocks;
    place.lives.push_back(i);
    evidence.flow.save_part(i, static_cast<double>(bytes) / static_cast<double>(lives[i].size),
                            place.savings);
  }
  return by_place;
}

/// `1.9 GiB of the 2.1 GiB in 3 blocks of parse (json.cpp:87)`; `The 315.6 MiB in ...` of all.
std::string amount_text(const Untouched& place, const std::string& name) {
  const std::string blocks = blocks_text(place.bytes, place.blocks, name);
  if (place.untouched_bytes == place.bytes) {
    return "The " + blocks;
  }
  return part_text(place.untouched_bytes, place.bytes) + " of the " + blocks;
}

}  // namespace

void find_untouched(Evidence& evidence, std::vector<Finding>& findings) {
  constexpr std::uint64_t kNotablePart = 16;
  std::vector<const Untouched*> told;
  std::vector<LowerPeak> without;
  std::vector<std::vector<NamedFrame>> frames;
  const auto by_place = untouched_by_place(evidence, findings);
  for (const auto& [number, place] : by_place) {
    if (place.untouched_bytes < place.bytes / kNotablePart ||
        place.untouched_bytes < evidence.worth_saying()) {
      continue;
    }
    if (auto lower = evidence.lower_peak(place.savings)) {
      told.push_back(&place);
      without.push_back(std::move(*lower));
      frames.push_back(named_stack(evidence.trace.definitions(), place.stack));
    }
  }
  const std::vector<std::string> texts = told_places(frames);
  for (std::size_t i = 0; i < told.size(); ++i) {
    Finding finding{.kind = FindingKind::kUntouched, .title = "asked for and never touched"};
    finding.sentence =
        fmt::format("{} were never touched: no look at their pages found them in memory.",
                    amount_text(*told[i], texts[i]));
    finding.bytes = told[i]->untouched_bytes;
    finding.remedy = "With what was touched";
    add_finding(evidence, without[i], told[i]->stack, std::move(finding), findings);
    evidence.explain(told[i]->lives);
  }
}

}  // namespace tidemark::analyzer
