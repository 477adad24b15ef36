#pragma once

#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <cstdint>
#include <memory>

namespace tidemark::loaders::nntrainer {

/// How a layer is run. The same data gives the same bits, wherever it is stored.
class LayerWork {
 public:
  LayerWork() = default;
  LayerWork(const LayerWork&) = delete;
  LayerWork& operator=(const LayerWork&) = delete;
  virtual ~LayerWork() = default;

  virtual void run(LayerIndex layer, Pass pass, const LayerData& data) = 0;
  /// What `run` allocates beside the data, and gives back.
  [[nodiscard]] virtual std::uint64_t scratch_bytes(LayerIndex layer, Pass pass) const = 0;
};

/// The network's arithmetic. Borrows the network, as the next does.
std::unique_ptr<LayerWork> real_work(const Network& network);

/// A busy loop of as long as the layer took in the published benchmark, times `percent` / 100.
///
/// Only the time of all layers is published; a layer gets a share in proportion to its
/// multiplications. A cheap mixture of everything that the layer reads replaces the arithmetic, so
/// that weights still change, and change differently if a byte was lost in transfer.
std::unique_ptr<LayerWork> calibrated_work(const Network& network, std::uint64_t percent);

}  // namespace tidemark::loaders::nntrainer
