#include "reference_loaders/executorch/vulkan_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <malloc.h>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint32_t kVersion = VK_API_VERSION_1_1;

/// In use, of all arenas.
std::uint64_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

std::vector<VkPhysicalDevice> physical_devices(VkInstance instance) {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  check(vkEnumeratePhysicalDevices(instance, &count, all.data()), "vkEnumeratePhysicalDevices");
  all.resize(count);
  return all;
}

std::optional<std::uint32_t> compute_family(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (std::uint32_t family = 0; family < count; ++family) {
    if ((families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) {
      return family;
    }
  }
  return std::nullopt;
}

}  // namespace

VulkanDevice::Instance::Instance() {
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pNext = nullptr,
                                      .pApplicationName = "tidemark-loaders",
                                      .applicationVersion = 0,
                                      .pEngineName = nullptr,
                                      .engineVersion = 0,
                                      .apiVersion = kVersion};
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const VkResult result = vkCreateInstance(&info, nullptr, &handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    throw NoVulkanDevice("no Vulkan device: no driver is installed (mesa-vulkan-drivers has one)");
  }
  check(result, "vkCreateInstance");
}

VulkanDevice::Instance::~Instance() {
  if (handle != VK_NULL_HANDLE) {
    vkDestroyInstance(handle, nullptr);
  }
}

VulkanDevice::VulkanDevice() : heap_bytes_before_(heap_bytes()) {
  choose();
  open();
  const std::uint64_t now = heap_bytes();
  driver_bytes_ = now - std::min(now, heap_bytes_before_);
}

VulkanDevice::~VulkanDevice() {
  vkDestroyDevice(device_, nullptr);
}

void VulkanDevice::choose() {
  for (VkPhysicalDevice device : physical_devices(instance_.handle)) {
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(device, &properties);
    if (const auto family = compute_family(device); family && properties.apiVersion >= kVersion) {
      physical_ = device;
      properties_ = properties;
      queue_family_ = *family;
      vkGetPhysicalDeviceMemoryProperties(device, &memory_);
      return;
    }
  }
  throw NoVulkanDevice("no Vulkan device: none of Vulkan 1.1 or later has a queue for compute");
}

void VulkanDevice::open() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  check(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
}

std::uint64_t VulkanDevice::memory_bytes() const {
  std::uint64_t most = 0;
  for (std::uint32_t heap = 0; heap < memory_.memoryHeapCount; ++heap) {
    if ((memory_.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
      most = std::max<std::uint64_t>(most, memory_.memoryHeaps[heap].size);
    }
  }
  return most;
}

std::uint32_t VulkanDevice::memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted) const {
  for (std::uint32_t type = 0; type < memory_.memoryTypeCount; ++type) {
    const bool is_allowed = (allowed >> type & 1U) != 0;
    if (is_allowed && (memory_.memoryTypes[type].propertyFlags & wanted) == wanted) {
      return type;
    }
  }
  throw VulkanError("vkGetPhysicalDeviceMemoryProperties", VK_ERROR_FEATURE_NOT_PRESENT);
}

bool VulkanDevice::is_host_visible(std::uint32_t memory_type) const {
  return (memory_.memoryTypes[memory_type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) !=
         0;
}

std::string why_no_vulkan_device() {
  try {
    const VulkanDevice device;
    return {};
  } catch (const NoVulkanDevice& error) {
    return error.what();
  }
}

}  // namespace tidemark::loaders::executorch
