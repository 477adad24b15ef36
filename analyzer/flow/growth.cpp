#include "analyzer/flow/growth.hpp"

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

}  // namespace tidemark::analyzer
