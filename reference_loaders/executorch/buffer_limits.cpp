#include "reference_loaders/executorch/buffer_limits.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/activations.hpp"
#include "reference_loaders/executorch/load_rules.hpp"
#include "reference_loaders/executorch/matrix_shape.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::loaders::executorch {
namespace {

/// What the tensor's largest buffer takes. A weight is staged as it is, and then packed.
std::uint64_t buffer_bytes(const GraphTensor& tensor) {
  return tensor.is_constant() ? std::max(tensor.bytes(), matrix_shape(tensor).packed_bytes())
                              : tensor.bytes();
}

}  // namespace

const DelegateGraph& require_room(const DelegateGraph& graph,
                                  const VulkanDevice& device,
                                  const std::string& file) {
  const std::uint64_t most = device.limits().maxStorageBufferRange;
  for (std::size_t value = 0; value < graph.values.size(); ++value) {
    if (const std::uint64_t bytes = buffer_bytes(graph.values[value]); bytes > most) {
      throw BadInput(file, fmt::format("value {} takes {} bytes, and a storage buffer of {} has {} "
                                       "at most",
                                       value, bytes, device.name(), most));
    }
  }
  const std::uint64_t needed = constant_bytes(graph) + activation_bytes(graph);
  if (needed > device.memory_bytes()) {
    throw BadInput(
        file, fmt::format("weights and activations take {}, and {} has {}", format_size(needed),
                          device.name(), format_size(device.memory_bytes())));
  }
  return graph;
}

}  // namespace tidemark::loaders::executorch
