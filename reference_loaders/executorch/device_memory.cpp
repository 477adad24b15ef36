#include "reference_loaders/executorch/device_memory.hpp"

#include <algorithm>

namespace tidemark::loaders::executorch {
namespace {

VkMemoryPropertyFlags properties_for(DeviceMemory::Use use) {
  return use == DeviceMemory::Use::kTensors
             ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
             : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

}  // namespace

MappedMemory::MappedMemory(const VulkanDevice& device, const DeviceAllocation& allocation)
    : device_(device.handle()), memory_(allocation.get()) {
  void* data = nullptr;
  check(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  bytes_ = {static_cast<std::byte*>(data), allocation.bytes()};
}

MappedMemory::~MappedMemory() {
  vkUnmapMemory(device_, memory_);
}

DeviceAllocation DeviceMemory::allocate(const VkMemoryRequirements& needed,
                                        Use use,
                                        VkBuffer only_for) const {
  const std::uint32_t type = device_.memory_type(needed.memoryTypeBits, properties_for(use));
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.buffer = only_for;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = only_for == VK_NULL_HANDLE ? nullptr : &dedicated;
  info.allocationSize = needed.size;
  info.memoryTypeIndex = type;
  DeviceAllocation allocation(
      created<OwnedMemory>(device_.handle(), vkAllocateMemory, info, "vkAllocateMemory"),
      CountedBytes(&footprint_, Footprint::kDevice, needed.size), needed.size);
  if (commits_ && device_.is_host_visible(type)) {
    std::ranges::fill(MappedMemory(device_, allocation).bytes(), std::byte{0});
  }
  return allocation;
}

DeviceBuffer::DeviceBuffer(const VulkanDevice& device,
                           std::uint64_t bytes,
                           VkBufferUsageFlags usage)
    : bytes_(bytes) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  buffer_ = created<OwnedBuffer>(device.handle(), vkCreateBuffer, info, "vkCreateBuffer");
  vkGetBufferMemoryRequirements(device.handle(), buffer_.get(), &needed_);
}

void DeviceBuffer::allocate(const DeviceMemory& memory, DeviceMemory::Use use) {
  memory_ = memory.allocate(needed_, use, buffer_.get());
  bind(memory_);
}

void DeviceBuffer::bind(const DeviceAllocation& shared) const {
  check(vkBindBufferMemory(buffer_.device(), buffer_.get(), shared.get(), 0), "vkBindBufferMemory");
}

}  // namespace tidemark::loaders::executorch
