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
    const WeightedStack& old_stack = before.stacks[pair.before];
    const WeightedStack& new_stack = after.stacks[pair.after];
    others_[0].emplace(key_of(old_stack.stack, old_stack.lane), new_stack.stack);
    others_[1].emplace(key_of(new_stack.stack, new_stack.lane), old_stack.stack);
  }
}

std::optional<trace::StackId> BlockPartners::partner_of(std::size_t side,
                                                        const LongBlock& block) const {
  const auto found = others_.at(side).find(key_of(block.stack, block.lane));
  return found == others_.at(side).end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tidemark::gui
