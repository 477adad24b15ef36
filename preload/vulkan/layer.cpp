// The layer's entry points. Each calls the next layer's function and records before or after it, in
// the order that preload/README.md gives.

#include "preload/hooks/device.hpp"
#include "preload/vulkan/device_place.hpp"
#include "preload/vulkan/dispatch.hpp"

#include <cstring>

// Null where libtidemark_preload.so is not loaded.
#pragma weak tidemark_record_device_begin
#pragma weak tidemark_record_device_end
#pragma weak tidemark_record_device_free
#pragma weak tidemark_record_device_map
#pragma weak tidemark_record_device_unmap

namespace tidemark::vulkan {
namespace {

bool records() {
  return tidemark_record_device_begin != nullptr;
}

std::uint64_t number_of(VkDeviceMemory memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

/// The loader's link info for this layer in a create call's pNext chain; we must advance it.
template <typename CreateInfo>
CreateInfo* link_of(const void* chain, VkStructureType type) {
  for (const auto* next = static_cast<const VkBaseInStructure*>(chain); next != nullptr;
       next = next->pNext) {
    auto* info = reinterpret_cast<CreateInfo*>(const_cast<VkBaseInStructure*>(next));
    if (next->sType == type && info->function == VK_LAYER_LINK_INFO)
      return info;
  }
  return nullptr;
}

template <typename Function, typename Next, typename Handle>
void look_up(Function& function, Next next, Handle handle, const char* name) {
  function = reinterpret_cast<Function>(next(handle, name));
}

// ---- memory ----

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice handle,
                                               const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkDeviceMemory* memory) {
  Device& device = *g_devices.find(key_of(handle));
  if (!records())
    return device.allocate(handle, info, callbacks, memory);
  tidemark_record_device_begin(info->allocationSize);
  const VkResult result = device.allocate(handle, info, callbacks, memory);
  const unwind::FrameState caller = TIDEMARK_CALLER;
  tidemark_record_device_end(result == VK_SUCCESS ? number_of(*memory) : 0, info->allocationSize,
                             place_of(*info, device.memory), &caller);
  return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice handle,
                                       VkDeviceMemory memory,
                                       const VkAllocationCallbacks* callbacks) {
  if (records())
    tidemark_record_device_free(number_of(memory));
  g_devices.find(key_of(handle))->free(handle, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice handle,
                                          VkDeviceMemory memory,
                                          VkDeviceSize offset,
                                          VkDeviceSize size,
                                          VkMemoryMapFlags flags,
                                          void** address) {
  Device& device = *g_devices.find(key_of(handle));
  const VkResult result = device.map(handle, memory, offset, size, flags, address);
  // VK_WHOLE_SIZE: all but the bytes before `offset`; the collector knows how many that are.
  constexpr VkDeviceSize kAll = ~VkDeviceSize{0};
  if (records() && result == VK_SUCCESS)
    tidemark_record_device_map(number_of(memory), *address, size == kAll ? kAll - offset : size);
  return result;
}

VKAPI_ATTR void VKAPI_CALL unmap_memory(VkDevice handle, VkDeviceMemory memory) {
  if (records())
    tidemark_record_device_unmap(number_of(memory));
  g_devices.find(key_of(handle))->unmap(handle, memory);
}

// ---- lives ----

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle, const VkAllocationCallbacks* callbacks) {
  if (handle == VK_NULL_HANDLE)
    return;
  Device& device = *g_devices.find(key_of(handle));
  const PFN_vkDestroyDevice destroy = device.destroy;
  g_devices.release(device);  // before: the next device may get the same key at once
  destroy(handle, callbacks);
}

void fill(Device& device, VkDevice handle, VkPhysicalDevice physical, const Instance& instance) {
  look_up(device.destroy, device.next, handle, "vkDestroyDevice");
  look_up(device.allocate, device.next, handle, "vkAllocateMemory");
  look_up(device.free, device.next, handle, "vkFreeMemory");
  look_up(device.map, device.next, handle, "vkMapMemory");
  look_up(device.unmap, device.next, handle, "vkUnmapMemory");
  instance.memory_properties(physical, &device.memory);
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                             const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks,
                                             VkDevice* handle) {
  auto* link =
      link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const Instance* instance = g_instances.find(key_of(physical));
  if (link == nullptr || instance == nullptr)
    return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next_of_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  // Asked of the instance: without one, a layer need not return more than the global functions.
  PFN_vkCreateDevice create = nullptr;
  look_up(create, next_of_instance, instance->handle, "vkCreateDevice");
  Device* device = create != nullptr ? g_devices.claim() : nullptr;
  if (device == nullptr)
    return VK_ERROR_INITIALIZATION_FAILED;
  const VkResult result = create(physical, info, callbacks, handle);
  if (result != VK_SUCCESS) {
    g_devices.release(*device);
    return result;
  }
  device->next = next;
  fill(*device, *handle, physical, *instance);
  g_devices.publish(*device, key_of(*handle));
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
                                            const VkAllocationCallbacks* callbacks) {
  if (handle == VK_NULL_HANDLE)
    return;
  Instance& instance = *g_instances.find(key_of(handle));
  const PFN_vkDestroyInstance destroy = instance.destroy;
  g_instances.release(instance);
  destroy(handle, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkInstance* handle) {
  auto* link = link_of<VkLayerInstanceCreateInfo>(info->pNext,
                                                  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr)
    return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  PFN_vkCreateInstance create = nullptr;
  look_up(create, next, VkInstance{VK_NULL_HANDLE}, "vkCreateInstance");
  Instance* instance = create != nullptr ? g_instances.claim() : nullptr;
  if (instance == nullptr)
    return VK_ERROR_INITIALIZATION_FAILED;
  const VkResult result = create(info, callbacks, handle);
  if (result != VK_SUCCESS) {
    g_instances.release(*instance);
    return result;
  }
  instance->handle = *handle;
  instance->next = next;
  look_up(instance->destroy, next, *handle, "vkDestroyInstance");
  look_up(instance->memory_properties, next, *handle, "vkGetPhysicalDeviceMemoryProperties");
  g_instances.publish(*instance, key_of(*handle));
  return result;
}

// ---- finding them ----

enum class Level { kInstance, kDevice };

struct EntryPoint {
  const char* name;
  PFN_vkVoidFunction function;
  Level level;
};

PFN_vkVoidFunction find_own(const char* name, Level asked);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice handle, const char* name) {
  if (const PFN_vkVoidFunction own = find_own(name, Level::kDevice))
    return own;
  Device* device = g_devices.find(key_of(handle));
  return device != nullptr ? device->next(handle, name) : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance handle,
                                                               const char* name) {
  if (const PFN_vkVoidFunction own = find_own(name, Level::kInstance))
    return own;
  if (handle == VK_NULL_HANDLE)
    return nullptr;
  Instance* instance = g_instances.find(key_of(handle));
  return instance != nullptr ? instance->next(handle, name) : nullptr;
}

template <typename Function>
PFN_vkVoidFunction erased(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

/// An instance returns every function, a device only device functions.
PFN_vkVoidFunction find_own(const char* name, Level asked) {
  const EntryPoint entry_points[] = {
      {"vkGetInstanceProcAddr", erased(get_instance_function), Level::kInstance},
      {"vkGetDeviceProcAddr", erased(get_device_function), Level::kDevice},
      {"vkCreateInstance", erased(create_instance), Level::kInstance},
      {"vkDestroyInstance", erased(destroy_instance), Level::kInstance},
      {"vkCreateDevice", erased(create_device), Level::kInstance},
      {"vkDestroyDevice", erased(destroy_device), Level::kDevice},
      {"vkAllocateMemory", erased(allocate_memory), Level::kDevice},
      {"vkFreeMemory", erased(free_memory), Level::kDevice},
      {"vkMapMemory", erased(map_memory), Level::kDevice},
      {"vkUnmapMemory", erased(unmap_memory), Level::kDevice},
  };
  for (const EntryPoint& entry : entry_points) {
    if ((asked == Level::kInstance || entry.level == asked) && std::strcmp(entry.name, name) == 0)
      return entry.function;
  }
  return nullptr;
}

}  // namespace
}  // namespace tidemark::vulkan

/// The first thing that the loader asks: see LoaderLayerInterface.md. Version 2 names our own two
/// functions.
extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
  constexpr std::uint32_t kSpoken = 2;
  if (version->loaderLayerInterfaceVersion < kSpoken)
    return VK_ERROR_INITIALIZATION_FAILED;
  version->loaderLayerInterfaceVersion = kSpoken;
  version->pfnGetInstanceProcAddr = tidemark::vulkan::get_instance_function;
  version->pfnGetDeviceProcAddr = tidemark::vulkan::get_device_function;
  version->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
