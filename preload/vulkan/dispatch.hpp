/// The next functions in the chain, by instance and by device.
///
/// All dispatchable handles of one instance, or of one device, begin with the same pointer, the
/// loader's table: that pointer is the key (loader/LoaderLayerInterface.md in Khronos'
/// Vulkan-Loader).
#pragma once

#include <atomic>
#include <cstddef>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace tidemark::vulkan {

/// The next functions of one instance. Written once, before `key` is set.
struct Instance {
  std::atomic<const void*> key{nullptr};  ///< nullptr: free.
  VkInstance handle = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr next = nullptr;
  PFN_vkDestroyInstance destroy = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties memory_properties = nullptr;
};

/// The same of one device.
struct Device {
  std::atomic<const void*> key{nullptr};
  PFN_vkGetDeviceProcAddr next = nullptr;
  PFN_vkDestroyDevice destroy = nullptr;
  PFN_vkAllocateMemory allocate = nullptr;
  PFN_vkFreeMemory free = nullptr;
  PFN_vkMapMemory map = nullptr;
  PFN_vkUnmapMemory unmap = nullptr;
  VkPhysicalDeviceMemoryProperties memory{};
};

template <typename Handle>
const void* key_of(Handle handle) {
  return *reinterpret_cast<const void* const*>(handle);
}

/// A table of fixed size: nothing is allocated in a host. Entries are found without a lock.
template <typename Entry>
class Table {
 public:
  static constexpr std::size_t kMaxEntries = 64;

  /// A free entry for the caller to fill and then to `publish`; nullptr when there is none.
  Entry* claim();
  void publish(Entry& entry, const void* key) { entry.key.store(key, std::memory_order_release); }
  /// nullptr for a handle that this layer has not seen created.
  Entry* find(const void* key);
  void release(Entry& entry) { entry.key.store(nullptr, std::memory_order_release); }

 private:
  Entry entries_[kMaxEntries]{};
};

extern Table<Instance> g_instances;
extern Table<Device> g_devices;

}  // namespace tidemark::vulkan
