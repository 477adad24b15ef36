#pragma once

#include "reference_loaders/executorch/vulkan_handle.hpp"

#include <cstdint>
#include <string>

namespace tidemark::loaders::executorch {

/// No usable Vulkan device. The message is one sentence that says what is missing.
class NoVulkanDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why a model cannot be loaded on this machine, as one sentence; empty when it can.
std::string why_no_vulkan_device();

/// The first device that has a queue for compute, with that queue. Vulkan's loader decides which
/// that is: VK_ICD_FILENAMES names another driver.
class VulkanDevice {
 public:
  /// @throws NoVulkanDevice, VulkanError
  VulkanDevice();
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;
  ~VulkanDevice();

  [[nodiscard]] VkDevice handle() const { return device_; }
  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] std::uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] const VkPhysicalDeviceLimits& limits() const { return properties_.limits; }
  /// Size of the largest heap that is the device's own.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] std::string name() const { return properties_.deviceName; }

  /// Heap memory that the driver, and Vulkan's loader, have taken since the construction began.
  /// Zero where the allocator does not say.
  [[nodiscard]] std::uint64_t driver_bytes() const { return driver_bytes_; }

  /// The first type among `allowed` (bits, as in VkMemoryRequirements) that has all `wanted`.
  /// @throws VulkanError when there is none.
  [[nodiscard]] std::uint32_t memory_type(std::uint32_t allowed,
                                          VkMemoryPropertyFlags wanted) const;
  [[nodiscard]] bool is_host_visible(std::uint32_t memory_type) const;

 private:
  /// The instance goes too when the rest of the construction fails.
  struct Instance {
    Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance();

    VkInstance handle = VK_NULL_HANDLE;
  };

  void choose();
  void open();

  std::uint64_t heap_bytes_before_;
  Instance instance_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  std::uint32_t queue_family_ = 0;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint64_t driver_bytes_ = 0;
};

}  // namespace tidemark::loaders::executorch
