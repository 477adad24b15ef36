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
  /// With layers by phase no block has a layer: finding phases means reading the trace, which the
  /// window's thread must not do.
  /// @param load stays borrowed.
  /// @param side its number among the loads that were layered.
  BlockLayers(const analyzer::LayeredLoad& load,
              std::size_t side,
              analyzer::LayerGrouping by,
              std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers);

  /// True if this was made for just these layers.
  [[nodiscard]] bool are(
      const std::shared_ptr<const std::vector<analyzer::FootprintLayer>>& layers) const {
    return layers_ == layers;
  }
  /// The layer with most of the block's bytes, or a rest layer if it is in no other. None: unknown.
  std::optional<std::size_t> of(const LongBlock& block);

 private:
  std::size_t found(const LongBlock& block);
  [[nodiscard]] std::size_t rest() const;

  std::size_t side_;
  analyzer::LayerGrouping by_;
  // Kept alive, so that no other list can get its address.
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers_;
  std::unique_ptr<analyzer::LayerKeys> keys_;             // Null: no block has a layer.
  std::unordered_map<std::uint64_t, std::size_t> known_;  // By allocation, or by stack and lane.
};

}  // namespace tidemark::gui
