#pragma once

#include "reference_loaders/executorch/footprint.hpp"
#include "reference_loaders/executorch/vulkan_device.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::loaders::executorch {

/// One vkAllocateMemory, counted for as long as it lives.
class DeviceAllocation {
 public:
  DeviceAllocation() = default;
  DeviceAllocation(OwnedMemory memory, CountedBytes count, std::uint64_t bytes)
      : memory_(std::move(memory)), count_(std::move(count)), bytes_(bytes) {}

  [[nodiscard]] VkDeviceMemory get() const { return memory_.get(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_empty() const { return memory_.get() == VK_NULL_HANDLE; }

 private:
  OwnedMemory memory_;
  CountedBytes count_;
  std::uint64_t bytes_ = 0;
};

/// Memory that both sides see, mapped for as long as this object lives.
class MappedMemory {
 public:
  /// @throws VulkanError
  MappedMemory(const VulkanDevice& device, const DeviceAllocation& allocation);
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  ~MappedMemory();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  VkDevice device_;
  VkDeviceMemory memory_;
  std::span<std::byte> bytes_;
};

/// Where all device memory of a loader comes from.
class DeviceMemory {
 public:
  /// What the memory is for: weights and activations, or passing bytes between the two sides.
  enum class Use { kTensors, kStaging };

  /// @param commits writes to every allocation immediately, if the host can. Drivers of phones back
  /// memory with pages when it is allocated; others only when it is written to. Device and
  /// footprint stay borrowed.
  DeviceMemory(const VulkanDevice& device, Footprint* footprint, bool commits)
      : device_(device), footprint_(*footprint), commits_(commits) {}

  /// @param only_for a buffer that is alone in this memory, or VK_NULL_HANDLE.
  /// @throws VulkanError
  [[nodiscard]] DeviceAllocation allocate(const VkMemoryRequirements& needed,
                                          Use use,
                                          VkBuffer only_for) const;

  [[nodiscard]] const VulkanDevice& device() const { return device_; }

 private:
  const VulkanDevice& device_;
  Footprint& footprint_;
  bool commits_;
};

/// A buffer, which has no memory until it is given some.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// @throws VulkanError
  DeviceBuffer(const VulkanDevice& device, std::uint64_t bytes, VkBufferUsageFlags usage);

  [[nodiscard]] VkBuffer get() const { return buffer_.get(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const VkMemoryRequirements& needed() const { return needed_; }
  [[nodiscard]] const DeviceAllocation& memory() const { return memory_; }

  /// A dedicated allocation. @throws VulkanError
  void allocate(const DeviceMemory& memory, DeviceMemory::Use use);
  /// A place at the beginning of memory that others may share; it must outlive the buffer's use.
  void bind(const DeviceAllocation& shared) const;

 private:
  std::uint64_t bytes_ = 0;
  VkMemoryRequirements needed_{};
  DeviceAllocation memory_;
  OwnedBuffer buffer_;  // destroyed before its memory
};

}  // namespace tidemark::loaders::executorch
