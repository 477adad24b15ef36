#pragma once

#include "reference_loaders/executorch/device_memory.hpp"

#include <vector>

namespace tidemark::loaders::executorch {

/// Commands for the device's queue, and the buffers that must live until it has done them. For one
/// thread.
class CommandContext {
 public:
  /// The device stays borrowed. @throws VulkanError, as all of these
  explicit CommandContext(const VulkanDevice& device);
  CommandContext(const CommandContext&) = delete;
  CommandContext& operator=(const CommandContext&) = delete;
  ~CommandContext() { wait_idle(); }

  /// The commands that are submitted next.
  [[nodiscard]] VkCommandBuffer recording();
  /// Submits them without waiting.
  void submit() { submit(VK_NULL_HANDLE); }
  /// The same, and waits until they, and all before them, are done.
  void submit_and_wait();

  /// Waits for everything submitted. Call it before destroying anything that commands use, other
  /// than by `flush`.
  void wait_idle() noexcept;

  /// Takes a buffer that commands use. Leaving a scope does not free staging memory: `flush` does.
  void destroy_at_flush(DeviceBuffer buffer) { to_destroy_.push_back(std::move(buffer)); }
  /// Frees what was kept. All commands must have been waited for.
  void flush();

 private:
  void submit(VkFence fence);

  const VulkanDevice& device_;
  OwnedCommandPool pool_;
  OwnedFence fence_;
  VkCommandBuffer recording_ = VK_NULL_HANDLE;
  std::vector<DeviceBuffer> to_destroy_;
};

}  // namespace tidemark::loaders::executorch
