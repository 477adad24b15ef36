#include "reference_loaders/nntrainer/layer_memory.hpp"

#include "reference_loaders/random_weights.hpp"

#include <algorithm>
#include <functional>

namespace tidemark::loaders::nntrainer {

LayerMemory::LayerMemory(const Network& network, LayerIndex layer)
    : weights_(network.layers[layer].weight_elements()), output_(network.output_elements(layer)) {
  for (std::size_t at = 0; at < network.layers[layer].inputs.size(); ++at) {
    inputs_.emplace_back(network.input_elements(layer));
  }
}

LayerData LayerMemory::data(const Layer& layer) const {
  LayerData data{.weights = weight_spans(layer, weights()), .output = output()};
  for (const FloatBlock& input : inputs_) {
    data.inputs.push_back(input.floats());
  }
  data.derivatives = data.inputs;
  return data;
}

void hand_over(std::span<const float> from, std::span<float> to, bool is_first) {
  if (is_first) {
    std::ranges::copy(from, to.begin());
  } else {
    std::ranges::transform(to, from, to.begin(), std::plus<>());
  }
}

void make_images(std::span<float> images) {
  constexpr std::uint64_t kSeed = 789;
  RandomWeights(kSeed, 0).fill(images);
}

}  // namespace tidemark::loaders::nntrainer
