/// Which blocks of one load are those of the other: asked for by the same stack.
#pragma once

#include "gui/view/blocks/block_list.hpp"
#include "gui/view/trees/named_stacks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

/// The stacks of all blocks that are listed.
NamedStacks stacks_of(const BlockList& list, const trace::Definitions& definitions);

class BlockPartners {
 public:
  /// Nothing is known: no block has a partner.
  BlockPartners() = default;
  BlockPartners(const NamedStacks& before, const NamedStacks& after);

  /// The stack in the other trace that asks for what a block of `side` (0: before) is; in the same
  /// lane. None: it has none there.
  [[nodiscard]] std::optional<trace::StackId> partner_of(std::size_t side,
                                                         const LongBlock& block) const;
  /// `other` is of the other trace.
  [[nodiscard]] bool are_partners(std::size_t side,
                                  const LongBlock& block,
                                  const LongBlock& other) const {
    const auto pair = pair_of(side, block);
    return pair && pair == pair_of(1 - side, other);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> pair_of(std::size_t side, const LongBlock& block) const;

  std::array<std::unordered_map<std::uint64_t, std::size_t>, 2> pairs_;  // By stack and lane.
  std::vector<std::array<trace::StackId, 2>> first_;  // Of each pair, on both sides.
};

}  // namespace tidemark::gui
