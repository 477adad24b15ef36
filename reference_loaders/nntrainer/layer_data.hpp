#pragma once

#include "reference_loaders/nntrainer/network.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::loaders::nntrainer {

enum class Pass { kForward, kBackward };

/// Where everything lies that one layer reads and writes in one pass. Borrows.
///
/// Going forward the inputs are read and the output is written. Going backward the inputs are what
/// they were, `output` is the derivative that came from the readers, and `derivatives`, one an
/// input, are written for the producers; each may lie in the very place of its input, which is
/// read before; nobody reads `output` after. That of the images may be empty. To the last layer
/// nothing comes: its `output` is still what it was.
struct LayerData {
  std::vector<std::span<float>> weights = {};  ///< As Layer::weights.
  std::vector<std::span<float>> inputs = {};
  std::span<float> output = {};
  std::vector<std::span<float>> derivatives = {};
};

/// A layer's weights, which lie one behind the other, each as a span of its own.
std::vector<std::span<float>> weight_spans(const Layer& layer, std::span<float> all);

}  // namespace tidemark::loaders::nntrainer
