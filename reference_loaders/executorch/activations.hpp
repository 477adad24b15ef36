#pragma once

#include "reference_loaders/executorch/command_context.hpp"
#include "reference_loaders/executorch/delegate_blob.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::loaders::executorch {

/// The activations of a graph. Those with one mem_obj_id share an allocation, which is as large as
/// the largest of them.
class Activations {
 public:
  /// Buffers without memory. @throws VulkanError, as all of these
  Activations(const VulkanDevice& device, const DelegateGraph& graph);

  /// Gives each group its memory.
  void allocate(const DeviceMemory& memory);
  /// Appends a write over all of the memory, as the first execution does.
  void record_writes(VkCommandBuffer commands) const;
  /// Destroys the buffers and frees their memory. No command may use them any more.
  void release() { groups_.clear(); }

 private:
  struct SharedObject {
    std::vector<DeviceBuffer> users;
    DeviceAllocation memory;
  };

  std::vector<SharedObject> groups_;
};

/// Bytes of all groups.
std::uint64_t activation_bytes(const DelegateGraph& graph);

}  // namespace tidemark::loaders::executorch
