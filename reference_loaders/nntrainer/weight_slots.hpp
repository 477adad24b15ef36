#pragma once

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/tensor_table.hpp"
#include "reference_loaders/nntrainer/weights_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// Memory that weights take turns in. Weights with the same planned offset share one slot, as large
/// as the largest of them; all slots are there from the beginning.
class WeightSlots {
 public:
  /// @param lookahead steps that a layer's weights are loaded ahead of its run, at least 1
  /// @throws std::bad_alloc
  WeightSlots(const Network& network, const TensorTable& table, std::size_t lookahead);

  [[nodiscard]] std::span<float> place(TensorId id) const;
  /// Layers that share a slot with one of `layer`'s weights and run before it.
  [[nodiscard]] const std::vector<LayerIndex>& owners_before(LayerIndex layer) const {
    return owners_before_[layer];
  }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void find_owners(const Network& network, const TensorTable& table);

  const TensorTable& table_;
  std::map<TensorId, std::uint64_t> offsets_;
  std::map<std::uint64_t, FloatBlock> slots_;  ///< By planned offset.
  std::vector<std::vector<LayerIndex>> owners_before_;
};

/// Copies a weight into its slot: its pages of the weights file are mapped, locked, copied from and
/// unmapped. The lock is tried; a process may not be allowed one.
/// @throws std::system_error when the pages cannot be mapped
void load_mapped(const WeightsFile& file, const PlannedTensor& weight, std::span<float> slot);

/// The most that `load_mapped` maps at once, in bytes.
std::uint64_t largest_mapping(const TensorTable& table);

}  // namespace tidemark::loaders::nntrainer
