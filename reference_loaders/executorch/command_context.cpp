#include "reference_loaders/executorch/command_context.hpp"

#include <cstdint>
#include <limits>

namespace tidemark::loaders::executorch {
namespace {

OwnedCommandPool command_pool(const VulkanDevice& device) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = device.queue_family();
  return created<OwnedCommandPool>(device.handle(), vkCreateCommandPool, info,
                                   "vkCreateCommandPool");
}

OwnedFence fence(const VulkanDevice& device) {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return created<OwnedFence>(device.handle(), vkCreateFence, info, "vkCreateFence");
}

}  // namespace

CommandContext::CommandContext(const VulkanDevice& device)
    : device_(device), pool_(command_pool(device)), fence_(fence(device)) {}

void CommandContext::wait_idle() noexcept {
  vkQueueWaitIdle(device_.queue());  // a lost device has no commands left either
}

VkCommandBuffer CommandContext::recording() {
  if (recording_ != VK_NULL_HANDLE) {
    return recording_;
  }
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_.get();
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device_.handle(), &allocate, &recording_),
        "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(recording_, &begin), "vkBeginCommandBuffer");
  return recording_;
}

void CommandContext::submit(VkFence fence) {
  const VkCommandBuffer commands = recording();
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  check(vkQueueSubmit(device_.queue(), 1, &info, fence), "vkQueueSubmit");
  recording_ = VK_NULL_HANDLE;
}

void CommandContext::submit_and_wait() {
  const VkFence fence = fence_.get();
  submit(fence);
  check(vkWaitForFences(device_.handle(), 1, &fence, VK_TRUE,
                        std::numeric_limits<std::uint64_t>::max()),
        "vkWaitForFences");
  check(vkResetFences(device_.handle(), 1, &fence), "vkResetFences");
}

void CommandContext::flush() {
  to_destroy_.clear();
  check(vkResetCommandPool(device_.handle(), pool_.get(), 0), "vkResetCommandPool");
}

}  // namespace tidemark::loaders::executorch
