/// Which blocks of two loads correspond: those that the same stack asked for.
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

/// The stacks of all listed blocks.
NamedStacks stacks_of(const BlockList& list, const trace::Definitions& definitions);

class BlockPartners {
 public:
  /// Nothing is known: no block has a partner.
  BlockPartners() = default;
  BlockPartners(const NamedStacks& before, const NamedStacks& after);

  /// The stack in the other trace that corresponds to the stack of a block of `side` (0: before),
  /// in the same lane. None if there is no such stack.
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
  std::vector<std::array<trace::StackId, 2>> first_;  // By pair: a stack of either side.
};

}  // namespace tidemark::gui
