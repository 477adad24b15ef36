#include "reference_loaders/executorch/activations.hpp"

#include <algorithm>
#include <map>

namespace tidemark::loaders::executorch {
namespace {

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

using Members = std::vector<const GraphTensor*>;

/// Groups in the order of their first members.
std::vector<Members> groups_of(const DelegateGraph& graph) {
  std::vector<Members> groups;
  std::map<std::int32_t, std::size_t> by_mem_obj_id;
  for (const GraphTensor& value : graph.values) {
    if (value.is_constant()) {
      continue;
    }
    std::size_t group = groups.size();
    if (value.mem_obj_id != kNone) {
      group = by_mem_obj_id.try_emplace(value.mem_obj_id, group).first->second;
    }
    groups.resize(std::max(groups.size(), group + 1));
    groups[group].push_back(&value);
  }
  return groups;
}

/// What memory has to be like so that any of `users` fits into it.
VkMemoryRequirements needed_by(const std::vector<DeviceBuffer>& users) {
  VkMemoryRequirements all{.size = 0, .alignment = 1, .memoryTypeBits = ~std::uint32_t{0}};
  for (const DeviceBuffer& user : users) {
    all.size = std::max(all.size, user.needed().size);
    all.memoryTypeBits &= user.needed().memoryTypeBits;
  }
  return all;
}

const DeviceBuffer& largest(const std::vector<DeviceBuffer>& users) {
  return *std::ranges::max_element(users, {}, &DeviceBuffer::bytes);
}

}  // namespace

Activations::Activations(const VulkanDevice& device, const DelegateGraph& graph) {
  for (const Members& members : groups_of(graph)) {
    SharedObject& group = groups_.emplace_back();
    for (const GraphTensor* const member : members) {
      group.users.emplace_back(device, member->bytes(), kUsage);
    }
  }
}

void Activations::allocate(const DeviceMemory& memory) {
  for (SharedObject& group : groups_) {
    group.memory =
        memory.allocate(needed_by(group.users), DeviceMemory::Use::kTensors, VK_NULL_HANDLE);
    for (const DeviceBuffer& user : group.users) {
      user.bind(group.memory);
    }
  }
}

void Activations::record_writes(VkCommandBuffer commands) const {
  for (const SharedObject& group : groups_) {
    vkCmdFillBuffer(commands, largest(group.users).get(), 0, VK_WHOLE_SIZE, 0);
  }
}

std::uint64_t activation_bytes(const DelegateGraph& graph) {
  std::uint64_t bytes = 0;
  for (const Members& members : groups_of(graph)) {
    const auto size = [](const GraphTensor* member) { return member->bytes(); };
    bytes += size(*std::ranges::max_element(members, {}, size));
  }
  return bytes;
}

}  // namespace tidemark::loaders::executorch
