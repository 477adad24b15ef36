/// Where the bytes that came into a block are at the peak.
#pragma once

#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Follows bytes through blocks that are gone by the peak, and through those that are used again
/// and again, to the blocks that are there then.
///
/// Which bytes a copy took is not known. All that came into a block are passed on alike: exact
/// where they came from one place and went to one place, as through a temporary. Bytes are followed
/// away from the file only, so what goes back to where it came from is no second copy.
class Whereabouts {
 public:
  struct Place {
    double share = 0;                         ///< Of what came into the block, 0 to 1.
    std::size_t node = PlacedChain::kNoNode;  ///< That holds most of it.
  };

  /// `peak`: how many events there were before it. Nothing stays borrowed.
  Whereabouts(const FlowIndex& flow, const PlacedChain& placed, std::uint64_t peak);

  /// Of a block that bytes of the model came into.
  [[nodiscard]] const Place& of(std::uint32_t life) const { return places_[life]; }

 private:
  std::vector<Place> places_;  // By life.
};

}  // namespace tidemark::analyzer
