#include "reference_loaders/executorch/vulkan_handle.hpp"

#include <fmt/format.h>

#include <string>

namespace tidemark::loaders::executorch {
namespace {

std::string in_words(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "out of device memory";
    case VK_ERROR_DEVICE_LOST:
      return "the device was lost";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "initialization failed";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "no driver that fits";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "too many objects";
    default:
      return fmt::format("VkResult {}", static_cast<int>(result));
  }
}

}  // namespace

VulkanError::VulkanError(const char* call, VkResult result)
    : std::runtime_error(fmt::format("{}: {}", call, in_words(result))) {}

void check(VkResult result, const char* call) {
  if (result != VK_SUCCESS) {
    throw VulkanError(call, result);
  }
}

}  // namespace tidemark::loaders::executorch
