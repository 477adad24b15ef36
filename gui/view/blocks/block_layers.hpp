/// Which layer of the timeline a block is part of.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "gui/view/blocks/block_list.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

class BlockLayers {
 public:
  /// Phases are found by reading the trace, which the window does not do in between: by phase, no
  /// block has a layer.
  /// @param load stays borrowed.
  /// @param side its number among the loads that were layered.
  BlockLayers(const analyzer::LayeredLoad& load,
              std::size_t side,
              analyzer::LayerGrouping by,
              std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers);

  /// True for the layers that it was made for.
  [[nodiscard]] bool are(
      const std::shared_ptr<const std::vector<analyzer::FootprintLayer>>& layers) const {
    return layers_ == layers;
  }
  /// That which has most of the block's bytes; a rest for what is in no other. None: not known.
  std::optional<std::size_t> of(const LongBlock& block);

 private:
  std::size_t found(const LongBlock& block);
  [[nodiscard]] std::size_t rest() const;

  std::size_t side_;
  analyzer::LayerGrouping by_;
  // Kept, so that another list is never taken for it.
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers_;
  std::unique_ptr<analyzer::LayerKeys> keys_;             // Null: no block has one.
  std::unordered_map<std::uint64_t, std::size_t> known_;  // By allocation, or by stack and lane.
};

}  // namespace tidemark::gui
