#pragma once

#include <stdexcept>
#include <utility>

#include <vulkan/vulkan.h>

namespace tidemark::loaders::executorch {

/// A call to Vulkan that did not do what it was asked for: "vkAllocateMemory: out of device
/// memory". Exit status 1.
class VulkanError : public std::runtime_error {
 public:
  VulkanError(const char* call, VkResult result);
};

/// @throws VulkanError that names the call, unless `result` is VK_SUCCESS.
void check(VkResult result, const char* call);

/// An object of a device, destroyed by `destroy` with this one. The device must outlive it.
template <typename Handle, auto destroy>
class Owned {
 public:
  Owned() = default;
  Owned(VkDevice device, Handle handle) : device_(device), handle_(handle) {}
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    Owned taken(std::move(other));
    swap(taken);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != VK_NULL_HANDLE) {
      destroy(device_, handle_, nullptr);
    }
  }

  [[nodiscard]] Handle get() const { return handle_; }
  [[nodiscard]] VkDevice device() const { return device_; }

 private:
  void swap(Owned& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
  }

  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
};

/// What a vkCreate function makes of `info`. @param call the function's name, for the message.
template <typename Object, typename Create, typename Info>
Object created(VkDevice device, Create create, const Info& info, const char* call) {
  decltype(std::declval<Object>().get()) handle = VK_NULL_HANDLE;
  check(create(device, &info, nullptr, &handle), call);
  return Object(device, handle);
}

using OwnedBuffer = Owned<VkBuffer, vkDestroyBuffer>;
using OwnedMemory = Owned<VkDeviceMemory, vkFreeMemory>;
using OwnedShader = Owned<VkShaderModule, vkDestroyShaderModule>;
using OwnedSetLayout = Owned<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using OwnedPipelineLayout = Owned<VkPipelineLayout, vkDestroyPipelineLayout>;
using OwnedPipeline = Owned<VkPipeline, vkDestroyPipeline>;
using OwnedDescriptorPool = Owned<VkDescriptorPool, vkDestroyDescriptorPool>;
using OwnedCommandPool = Owned<VkCommandPool, vkDestroyCommandPool>;
using OwnedFence = Owned<VkFence, vkDestroyFence>;

}  // namespace tidemark::loaders::executorch
