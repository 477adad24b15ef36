#pragma once

#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/memory_plan.hpp"
#include "reference_loaders/nntrainer/network.hpp"
#include "reference_loaders/nntrainer/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// The tensors of a network one by one, as nntrainer's memory planner and cache know them: weights,
/// the images, what each layer makes, and the derivative that each reader sends back. What one
/// layer writes and another reads is one tensor here.
namespace tidemark::loaders::nntrainer {

using TensorId = std::size_t;

struct PlannedTensor {
  std::uint64_t elements = 0;
  std::size_t first = 0;  ///< Step that needs it first; so is `last`.
  std::size_t last = 0;
  bool is_weight = false;
  std::uint64_t weights_offset = 0;  ///< Where a weight begins in the weights file, in floats.

  [[nodiscard]] std::uint64_t bytes() const { return elements * sizeof(float); }
};

class TensorTable {
 public:
  /// The network is borrowed.
  explicit TensorTable(const Network& network);

  [[nodiscard]] const std::vector<PlannedTensor>& tensors() const { return tensors_; }
  [[nodiscard]] TensorId images() const { return images_; }
  /// Weights of a layer, in the order of Layer::weights.
  [[nodiscard]] const std::vector<TensorId>& weights(LayerIndex layer) const {
    return weights_[layer];
  }
  /// All that a step reads or writes, each once.
  [[nodiscard]] std::vector<TensorId> needs(const Step& step) const;
  [[nodiscard]] std::uint64_t bytes(const std::vector<TensorId>& ids) const;

  using Place = std::function<std::span<float>(TensorId)>;

  /// The same as `LayerData`, with each tensor where `place` says it is. Where two readers sent
  /// derivatives back they are added up first.
  [[nodiscard]] LayerData data(const Step& step, const Place& place) const;

 private:
  TensorId add(std::uint64_t elements, std::size_t first, std::size_t last);
  void add_weights(LayerIndex layer);
  void add_output(LayerIndex layer);
  void add_derivatives(LayerIndex layer);
  [[nodiscard]] std::size_t last_use_of_output(LayerIndex layer) const;
  [[nodiscard]] TensorId producer_tensor(LayerIndex producer) const;
  /// Those that came back to a layer's output, in the order of execution.
  [[nodiscard]] std::vector<TensorId> derivatives_of(LayerIndex layer) const;

  const Network& network_;
  std::vector<PlannedTensor> tensors_;
  TensorId images_ = 0;
  std::vector<std::vector<TensorId>> weights_;
  std::vector<TensorId> outputs_;
  /// By layer, for each of its inputs; only if it trains.
  std::vector<std::vector<TensorId>> derivatives_;
};

}  // namespace tidemark::loaders::nntrainer
