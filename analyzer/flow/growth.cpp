#include "analyzer/flow/growth.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

constexpr std::uint32_t kMinGrowthSteps = 3;

/// One step of a container: half as large again or more, and the old block, which went nowhere
/// else, was freed.
bool is_step(const BlockLife& from, const BlockLife& into) {
  return into.size >= from.size + from.size / 2 && from.copied_out_bytes <= from.size &&
         from.died != BlockLife::kNever;
}

}  // namespace

std::vector<std::uint32_t> grown_through(const FlowIndex& flow, std::uint32_t last) {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t life = last;;) {
    blocks.push_back(life);
    const BlockLife& block = flow.lives()[life];
    life = block.grown_from;
    if (life == BlockLife::kNone || flow.lives()[life].born != block.grown_from_born) {
      return blocks;
    }
  }
}

bool is_grown(const FlowIndex& flow, std::uint32_t life) {
  const BlockLife& last = flow.lives()[life];
  if (last.has_moved || last.growth_steps >= kMinGrowthSteps) {
    return !last.has_moved;
  }
  const auto blocks = grown_through(flow, life);
  if (last.growth_steps != 2 || blocks.size() != 3) {
    return false;
  }
  const BlockLife& second = flow.lives()[blocks[1]];
  const BlockLife& first = flow.lives()[blocks[2]];
  return is_step(second, last) && is_step(first, second) && first.died < last.born;
}

std::uint32_t outgrown_by(const FlowIndex& flow, std::uint32_t life) {
  const BlockLife& old = flow.lives()[life];
  if (!old.has_moved || old.swept) {
    return BlockLife::kNone;
  }
  for (const Departure& departure : flow.departures(life)) {
    const std::uint32_t into = departure.target;
    if (into == BlockLife::kNone || flow.lives()[into].grown_from != life) {
      continue;
    }
    const BlockLife& larger = flow.lives()[into];
    const auto next = flow.departures(into);
    const bool is_used_before = (larger.read_count != 0 && larger.first_read_ns < old.died_ns) ||
                                std::any_of(next.begin(), next.end(), [&old](const Departure& it) {
                                  return it.first_ns < old.died_ns;
                                });
    return larger.grown_from_born == old.born && larger.stack == old.stack &&
                   is_step(old, larger) && !is_used_before
               ? into
               : BlockLife::kNone;
  }
  return BlockLife::kNone;
}

}  // namespace tidemark::analyzer
