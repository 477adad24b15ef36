/// Memory type and kind (dedicated, imported, host pointer) of a device allocation.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace tidemark::vulkan {

/// See wire::make_device_place.
std::uint32_t place_of(const VkMemoryAllocateInfo& info,
                       const VkPhysicalDeviceMemoryProperties& memory);

}  // namespace tidemark::vulkan
