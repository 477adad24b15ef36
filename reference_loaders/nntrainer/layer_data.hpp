#pragma once

#include "reference_loaders/nntrainer/network.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::loaders::nntrainer {

enum class Pass { kForward, kBackward };

/// Memory that one layer reads and writes in one pass. Borrowed.
///
/// Forward, inputs are read and the output is written. Backward, the inputs are unchanged, `output`
/// is the derivative received from the readers, and `derivatives`, one per input, are written for
/// the producers. Each of these may share the memory of its input, which is read first; `output` is
/// not read afterwards. The derivative of the images may be empty. The last layer receives none:
/// its `output` is unchanged.
struct LayerData {
  std::vector<std::span<float>> weights = {};  ///< As Layer::weights.
  std::vector<std::span<float>> inputs = {};
  std::span<float> output = {};
  std::vector<std::span<float>> derivatives = {};
};

/// A layer's weights, which lie one behind the other, each as a span of its own.
std::vector<std::span<float>> weight_spans(const Layer& layer, std::span<float> all);

}  // namespace tidemark::loaders::nntrainer
