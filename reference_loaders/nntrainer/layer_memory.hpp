#pragma once

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <span>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// What a layer costs while it is in memory: its weights, its inputs and its output, each in a
/// block of its own. A layer shares nothing with its neighbours: what one makes is handed over to
/// the other, so that either can come and go alone.
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

/// What one layer made for another: an output, which comes alone, or the derivatives of an output,
/// one from each of its readers, which are added up in the order of execution.
void hand_over(std::span<const float> from, std::span<float> to, bool is_first);

/// The batch: there is no data set, only a row of random pixels.
void make_images(std::span<float> images);

}  // namespace tidemark::loaders::nntrainer
