#pragma once

#include "reference_loaders/nntrainer/layer_work.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// The order of an iteration is known before it begins: forward over all layers, then backward. All
/// predicted peaks follow from it.
namespace tidemark::loaders::nntrainer {

struct Step {
  LayerIndex layer = 0;
  Pass pass = Pass::kForward;
};

std::vector<Step> steps_of(const Network& network);

/// When a layer runs in a pass; none for backward where the network does not train.
std::optional<std::size_t> step_of(const Network& network, LayerIndex layer, Pass pass);

/// Peak with everything in memory, the work's own memory included. Bytes, as below.
std::uint64_t resident_peak(const Network& network, const LayerWork& work);

/// Peak of a window of N layers that are ready, one that is being loaded and one that is leaving:
/// the largest such N + 2 consecutive layers, with what the running one needs for its work.
std::uint64_t window_peak(const Network& network, const LayerWork& work, std::size_t n);

}  // namespace tidemark::loaders::nntrainer
