#include "gui/view/blocks/block_partners.hpp"

#include "gui/view/trees/stack_pairs.hpp"

namespace tidemark::gui {
namespace {

std::uint64_t key_of(trace::StackId stack, trace::Lane lane) {
  return std::uint64_t{trace::index(stack)} * trace::kLaneCount + static_cast<std::uint64_t>(lane);
}

}  // namespace

NamedStacks stacks_of(const BlockList& list, const trace::Definitions& definitions) {
  StackNamer namer(definitions);
  for (const LongBlock& block : list.blocks) {
    namer.add(block.stack, block.lane, {.bytes = block.bytes, .blocks = 1});
  }
  return namer.take();
}

BlockPartners::BlockPartners(const NamedStacks& before, const NamedStacks& after) {
  for (const analyzer::StackPair& pair : pairs_of(before, after)) {
    const std::array sides{&before.stacks[pair.before], &after.stacks[pair.after]};
    for (std::size_t side = 0; side < sides.size(); ++side) {
      for (const CalledStack& called : sides[side]->called) {
        for (const trace::StackId one : called.recorded) {
          pairs_[side].emplace(key_of(one, sides[side]->lane), first_.size());
        }
      }
    }
    first_.push_back(
        {sides[0]->called.front().recorded.front(), sides[1]->called.front().recorded.front()});
  }
}

std::optional<std::size_t> BlockPartners::pair_of(std::size_t side, const LongBlock& block) const {
  const auto found = pairs_.at(side).find(key_of(block.stack, block.lane));
  return found == pairs_.at(side).end() ? std::nullopt : std::optional(found->second);
}

std::optional<trace::StackId> BlockPartners::partner_of(std::size_t side,
                                                        const LongBlock& block) const {
  const auto pair = pair_of(side, block);
  return pair ? std::optional(first_[*pair][1 - side]) : std::nullopt;
}

}  // namespace tidemark::gui
