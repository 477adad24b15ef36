/// Where an allocation lies, and whether it is one of its own kind.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace tidemark::vulkan {

/// See wire::make_device_place.
std::uint32_t place_of(const VkMemoryAllocateInfo& info,
                       const VkPhysicalDeviceMemoryProperties& memory);

}  // namespace tidemark::vulkan
