#pragma once

#include "reference_loaders/executorch/activations.hpp"
#include "reference_loaders/executorch/command_context.hpp"
#include "reference_loaders/executorch/load_rules.hpp"
#include "reference_loaders/executorch/matrix_shape.hpp"
#include "reference_loaders/executorch/named_data_map.hpp"
#include "reference_loaders/executorch/pack_pipeline.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::loaders::executorch {

/// A weight on the device, in the operators' layout.
struct PackedWeight {
  std::size_t value = 0;  ///< The value that it is a packed copy of.
  MatrixShape shape;
  DeviceBuffer buffer;
};

/// The delegate's graph on the way from the files to the device. `build`, `prepare`, `prepack` and
/// `execute` are called once each, in this order; what each allocates is up to the rules.
class ComputeGraph {
 public:
  /// @param graph that the device has room for (buffer_limits.hpp). All but the rules stay
  /// borrowed.
  ComputeGraph(const DelegateGraph& graph,
               NamedDataMap& data,
               const DeviceMemory& memory,
               CommandContext& commands,
               const LoadRules& rules);
  ComputeGraph(const ComputeGraph&) = delete;
  ComputeGraph& operator=(const ComputeGraph&) = delete;
  /// Waits for commands, which may still be running if prepacking ended with an exception.
  ~ComputeGraph();

  /// Takes every constant's bytes from the map and makes tensors, with or without memory.
  /// @throws BadInput, VulkanError
  void build();
  /// Readies what prepacking needs. @throws VulkanError
  void prepare();
  /// Packs each weight on the device. @throws VulkanError, std::runtime_error
  void prepack();
  /// Writes to all activations. @throws VulkanError
  void execute();

  [[nodiscard]] const std::vector<PackedWeight>& weights() const { return weights_; }
  void release_activations() { activations_.release(); }

 private:
  /// A constant's bytes on the host, until its consumer has taken them.
  struct TensorRef {
    FreeableBuffer data;
    std::size_t uses_left = 0;
  };

  void add_tensor_ref(std::size_t value);
  void add_weight(std::size_t value);
  [[nodiscard]] const std::string& key(std::size_t value) const;

  void submit_when_enough_is_queued(std::size_t step);
  void encode(PackedWeight* weight);
  [[nodiscard]] DeviceBuffer staged(std::size_t value);
  void used(TensorRef* constant) const;

  const DelegateGraph& graph_;
  NamedDataMap& data_;
  const DeviceMemory& memory_;
  CommandContext& commands_;
  LoadRules rules_;
  std::map<std::size_t, TensorRef> constants_;  ///< By value.
  std::vector<PackedWeight> weights_;           ///< One for each step of prepacking.
  Activations activations_;
  std::optional<PackPipeline> pipeline_;
  std::uint64_t queued_staging_bytes_ = 0;
};

}  // namespace tidemark::loaders::executorch
