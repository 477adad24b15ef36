#pragma once

#include "reference_loaders/executorch/load_rules.hpp"
#include "reference_loaders/system.hpp"

#include <memory>

namespace tidemark::loaders::executorch {

/// How constants reach the host, and what device memory does when it is allocated.
struct LoadEnvironment {
  bool maps_constants = false;  ///< Otherwise each is read into memory of its own.
  bool commits = false;         ///< As DeviceMemory.
};

/// Loads the delegate's blob in `file`, with the constants beside it, into the first Vulkan device.
/// The model's `work_bytes` is the planned peak.
/// @throws BadInput, NoVulkanDevice, VulkanError
std::unique_ptr<LoadedModel> load_model(const std::filesystem::path& file,
                                        const LoadRules& rules,
                                        const LoadEnvironment& environment);

}  // namespace tidemark::loaders::executorch
