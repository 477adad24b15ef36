#include "analyzer/findings/unneeded/model_rounds.hpp"

#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/footprint/timeline.hpp"

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

/// A block comes, or goes.
struct Step {
  trace::EventOrdinal at = 0;
  bool comes = false;
  std::uint32_t life = 0;
};

std::vector<Step> steps_of(const Evidence& evidence, const std::vector<std::uint32_t>& lives) {
  std::vector<Step> steps;
  for (const std::uint32_t life : lives) {
    const BlockLife& block = evidence.flow.lives()[life];
    steps.push_back({block.born, true, life});
    steps.push_back({block.died, false, life});
  }
  std::ranges::sort(steps, {}, &Step::at);
  return steps;
}

}  // namespace

std::uint64_t footprint_before_load(const Evidence& evidence) {
  const std::uint64_t begun_ns = model_first_use_ns(evidence.load);
  const std::array borders{begun_ns - std::min<std::uint64_t>(begun_ns, 1), begun_ns};
  return Timeline(evidence.trace).columns(borders).front().footprint.minimum;
}

std::size_t rounds_that_leave_nothing(const Evidence& evidence,
                                      const std::vector<std::uint32_t>& lives) {
  const std::uint64_t model = evidence.load.model.bytes;
  const std::uint64_t most_left = footprint_before_load(evidence) + model / kNarrowestPart;
  std::size_t rounds = 0;
  std::size_t there = 0;
  std::uint64_t held = 0;
  std::uint64_t most_held = 0;
  for (const auto& [at, comes, life] : steps_of(evidence, lives)) {
    const BlockLife& block = evidence.flow.lives()[life];
    const std::uint64_t bytes = std::min(evidence.flow.arrived(life), block.room());
    if (comes) {
      ++there;
      held += bytes;
      most_held = std::max(most_held, held);
      continue;
    }
    --there;
    held -= bytes;
    if (there == 0) {
      if (is_most_of(most_held, model) && block.footprint_after < most_left) {
        ++rounds;
      }
      most_held = 0;
    }
  }
  return rounds;
}

}  // namespace tidemark::analyzer
