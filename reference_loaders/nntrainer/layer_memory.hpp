#pragma once

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <span>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// What a layer costs while it is in memory: its weights, its inputs and its output, each in a
/// block of its own. A layer shares no memory with its neighbours: results are handed over to the
/// other layer, so that each can be loaded and freed separately.
class LayerMemory {
 public:
  /// Nothing is filled. @throws std::bad_alloc
  LayerMemory(const Network& network, LayerIndex layer);

  [[nodiscard]] std::span<float> weights() const { return weights_.floats(); }
  [[nodiscard]] std::span<float> input(std::size_t index) const { return inputs_[index].floats(); }
  [[nodiscard]] std::span<float> output() const { return output_.floats(); }

  /// Going backward, derivatives take the place of the inputs.
  [[nodiscard]] LayerData data(const Layer& layer) const;

 private:
  FloatBlock weights_;
  std::vector<FloatBlock> inputs_;
  FloatBlock output_;
};

/// What one layer makes for another: one output, or derivatives of an output, one from each reader,
/// which are summed in the order of execution.
void hand_over(std::span<const float> from, std::span<float> to, bool is_first);

/// The batch: there is no data set, only a row of random pixels.
void make_images(std::span<float> images);

}  // namespace tidemark::loaders::nntrainer
