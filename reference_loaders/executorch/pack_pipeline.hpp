#pragma once

#include "reference_loaders/executorch/matrix_shape.hpp"
#include "reference_loaders/executorch/vulkan_device.hpp"

#include <cstdint>

namespace tidemark::loaders::executorch {

/// The compute shader that packs weights (pack_weights.comp), ready to be recorded.
class PackPipeline {
 public:
  /// @param most_uses how often `record` may be called. The device stays borrowed.
  /// @throws VulkanError
  PackPipeline(const VulkanDevice& device, std::uint32_t most_uses);

  /// Appends the packing of `source` into `packed`, both storage buffers with memory.
  void record(VkCommandBuffer commands,
              VkBuffer source,
              VkBuffer packed,
              const MatrixShape& shape) const;

 private:
  [[nodiscard]] VkDescriptorSet descriptors(VkBuffer source, VkBuffer packed) const;

  const VulkanDevice& device_;
  OwnedSetLayout set_layout_;
  OwnedPipelineLayout layout_;
  OwnedPipeline pipeline_;
  OwnedDescriptorPool pool_;
};

}  // namespace tidemark::loaders::executorch
