/// Where the bytes that came into a block are at the peak.
#pragma once

#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Follows bytes through blocks released before the peak, and through reused buffers, to the blocks
/// that are alive at the peak.
///
/// Which bytes a copy took is unknown, so all bytes of a block are passed on in proportion: exact
/// if they came from one place and went to one place, as through a temporary. Bytes are followed
/// only away from the file, so bytes copied back are not a second copy.
class Whereabouts {
 public:
  struct Place {
    double share = 0;                         ///< The part of what came into the block, 0 to 1.
    std::size_t node = PlacedChain::kNoNode;  ///< The node that holds most of it.
  };

  /// `peak`: how many events there were before it. Nothing stays borrowed.
  Whereabouts(const FlowIndex& flow, const PlacedChain& placed, std::uint64_t peak);

  /// For a block into which bytes of the model came.
  [[nodiscard]] const Place& of(std::uint32_t life) const { return places_[life]; }

 private:
  std::vector<Place> places_;  // By life.
};

}  // namespace tidemark::analyzer
