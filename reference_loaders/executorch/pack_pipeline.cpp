#include "reference_loaders/executorch/pack_pipeline.hpp"

#include <algorithm>
#include <array>

namespace tidemark::loaders::executorch {
namespace {

#include <pack_weights.h>  // kPackWeights, compiled from pack_weights.comp

constexpr std::uint32_t kBindings = 2;  // source, packed
constexpr std::uint32_t kGroupSize = 64;

OwnedSetLayout set_layout(const VulkanDevice& device) {
  std::array<VkDescriptorSetLayoutBinding, kBindings> bindings{};
  for (std::uint32_t at = 0; at < kBindings; ++at) {
    bindings.at(at).binding = at;
    bindings.at(at).descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings.at(at).descriptorCount = 1;
    bindings.at(at).stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.bindingCount = kBindings;
  info.pBindings = bindings.data();
  return created<OwnedSetLayout>(device.handle(), vkCreateDescriptorSetLayout, info,
                                 "vkCreateDescriptorSetLayout");
}

OwnedPipelineLayout pipeline_layout(const VulkanDevice& device, VkDescriptorSetLayout sets) {
  VkPushConstantRange constants{};
  constants.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  constants.size = sizeof(MatrixShape);
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &sets;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &constants;
  return created<OwnedPipelineLayout>(device.handle(), vkCreatePipelineLayout, info,
                                      "vkCreatePipelineLayout");
}

OwnedPipeline pipeline(const VulkanDevice& device, VkPipelineLayout layout) {
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = sizeof kPackWeights;
  code.pCode = static_cast<const std::uint32_t*>(kPackWeights);
  const auto shader =
      created<OwnedShader>(device.handle(), vkCreateShaderModule, code, "vkCreateShaderModule");
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader.get();
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline handle = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &handle),
        "vkCreateComputePipelines");
  return {device.handle(), handle};
}

OwnedDescriptorPool descriptor_pool(const VulkanDevice& device, std::uint32_t most_sets) {
  const std::uint32_t sets = std::max(most_sets, 1U);  // no pool is empty
  VkDescriptorPoolSize size{};
  size.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  size.descriptorCount = sets * kBindings;
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  return created<OwnedDescriptorPool>(device.handle(), vkCreateDescriptorPool, info,
                                      "vkCreateDescriptorPool");
}

}  // namespace

PackPipeline::PackPipeline(const VulkanDevice& device, std::uint32_t most_uses)
    : device_(device),
      set_layout_(set_layout(device)),
      layout_(pipeline_layout(device, set_layout_.get())),
      pipeline_(pipeline(device, layout_.get())),
      pool_(descriptor_pool(device, most_uses)) {}

VkDescriptorSet PackPipeline::descriptors(VkBuffer source, VkBuffer packed) const {
  VkDescriptorSetLayout layout = set_layout_.get();
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool_.get();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vkAllocateDescriptorSets(device_.handle(), &info, &set), "vkAllocateDescriptorSets");

  const std::array<VkDescriptorBufferInfo, kBindings> buffers = {
      VkDescriptorBufferInfo{source, 0, VK_WHOLE_SIZE},
      VkDescriptorBufferInfo{packed, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = kBindings;  // goes on over the bindings that follow the first
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
  return set;
}

void PackPipeline::record(VkCommandBuffer commands,
                          VkBuffer source,
                          VkBuffer packed,
                          const MatrixShape& shape) const {
  VkDescriptorSet set = descriptors(source, packed);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.get());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &set, 0,
                          nullptr);
  vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof shape, &shape);
  // What one dimension has no room for goes into rows of groups.
  const std::uint64_t vectors = shape.groups() * shape.columns;
  const std::uint64_t groups = (vectors + kGroupSize - 1) / kGroupSize;
  const std::uint64_t width =
      std::min<std::uint64_t>(groups, device_.limits().maxComputeWorkGroupCount[0]);
  vkCmdDispatch(commands, static_cast<std::uint32_t>(width),
                static_cast<std::uint32_t>((groups + width - 1) / width), 1);
}

}  // namespace tidemark::loaders::executorch
