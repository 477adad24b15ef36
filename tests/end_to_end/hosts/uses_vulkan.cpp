// uses_vulkan: two allocations of 48 MiB of device memory through Vulkan, of which one is filled
// from a block of 8 MiB; one request of all but the last MiB that a number can say, which no device
// grants beside them. (Mesa 25's software device does grant 2^63 bytes.) Prints "no device" and
// ends with 77 where there is none.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <vulkan/vulkan.h>

namespace {

constexpr VkDeviceSize kBytes = VkDeviceSize{48} << 20;
constexpr std::size_t kStaged = std::size_t{8} << 20;

VkInstance make_instance() {
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  VkInstance instance = VK_NULL_HANDLE;
  return vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS ? instance : VK_NULL_HANDLE;
}

VkDevice make_device(VkInstance instance) {
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (count == 0)
    return VK_NULL_HANDLE;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  return vkCreateDevice(physical, &info, nullptr, &device) == VK_SUCCESS ? device : VK_NULL_HANDLE;
}

VkDeviceMemory allocate(VkDevice device, VkDeviceSize bytes) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = bytes;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  return vkAllocateMemory(device, &info, nullptr, &memory) == VK_SUCCESS ? memory : VK_NULL_HANDLE;
}

void stage(VkDevice device, VkDeviceMemory memory) {
  void* address = nullptr;
  vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &address);
  auto* staged = static_cast<char*>(std::malloc(kStaged));
  std::memset(staged, 7, kStaged);
  std::memcpy(static_cast<char*>(address) + kStaged, staged, kStaged);
  std::free(staged);
  vkUnmapMemory(device, memory);
}

}  // namespace

int main() {
  const VkInstance instance = make_instance();
  const VkDevice device = instance != VK_NULL_HANDLE ? make_device(instance) : VK_NULL_HANDLE;
  if (device == VK_NULL_HANDLE) {
    std::puts("no device");
    return 77;
  }
  const VkDeviceMemory weights = allocate(device, kBytes);
  const VkDeviceMemory activations = allocate(device, kBytes);
  stage(device, weights);
  const bool is_refused = allocate(device, ~VkDeviceSize{0xfffff}) == VK_NULL_HANDLE;
  vkFreeMemory(device, activations, nullptr);
  vkFreeMemory(device, weights, nullptr);
  vkFreeMemory(device, VK_NULL_HANDLE, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  std::printf("refused: %d\n", is_refused);
}
