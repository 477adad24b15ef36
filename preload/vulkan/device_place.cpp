#include "preload/vulkan/device_place.hpp"

#include "preload/wire/record.hpp"

namespace tidemark::vulkan {
namespace {

std::uint32_t flags_of(const void* extensions) {
  std::uint32_t flags = 0;
  for (const auto* next = static_cast<const VkBaseInStructure*>(extensions); next != nullptr;
       next = next->pNext) {
    switch (next->sType) {
      case VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO:
        flags |= wire::kDeviceDedicated;
        break;
      case VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR:
        flags |= wire::kDeviceImported;
        break;
      case VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT:
        flags |= wire::kDeviceImported | wire::kDeviceHostPointer;
        break;
      default:
        break;
    }
  }
  return flags;
}

}  // namespace

std::uint32_t place_of(const VkMemoryAllocateInfo& info,
                       const VkPhysicalDeviceMemoryProperties& memory) {
  const std::uint32_t type = info.memoryTypeIndex;
  if (type >= memory.memoryTypeCount)
    return 0;
  const VkMemoryType& of = memory.memoryTypes[type];
  return wire::make_device_place(of.heapIndex, type, of.propertyFlags, flags_of(info.pNext));
}

}  // namespace tidemark::vulkan
