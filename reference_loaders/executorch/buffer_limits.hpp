#pragma once

#include "reference_loaders/executorch/delegate_blob.hpp"
#include "reference_loaders/executorch/vulkan_device.hpp"

#include <string>

namespace tidemark::loaders::executorch {

/// Returns `graph` when the device has room for it: for each tensor in one storage buffer, and for
/// all packed weights and activations in its memory.
/// @param file the blob's name, for messages. @throws BadInput
const DelegateGraph& require_room(const DelegateGraph& graph,
                                  const VulkanDevice& device,
                                  const std::string& file);

}  // namespace tidemark::loaders::executorch
