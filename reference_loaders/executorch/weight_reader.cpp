#include "reference_loaders/executorch/weight_reader.hpp"

#include <algorithm>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint64_t kStagingBytes = std::uint64_t{1} << 20;

/// Whole groups, at least one.
std::uint64_t groups_at_once(const MatrixShape& shape) {
  const std::uint64_t groups = std::max<std::uint64_t>(kStagingBytes / shape.group_bytes(), 1);
  return std::min(groups, shape.groups());
}

/// What the shader wrote must be seen by the copy, and what that writes by the host.
void record_copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, const VkBufferCopy& region) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  vkCmdCopyBuffer(commands, from, to, 1, &region);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                       &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

void unpack(std::span<const float> packed, std::uint32_t columns, std::span<float> rows) {
  constexpr std::size_t kRows = MatrixShape::kRowsPacked;
  const std::size_t count = rows.size() / columns;
  for (std::size_t row = 0; row < count; ++row) {
    const float* from = packed.data() + row / kRows * kRows * columns + row % kRows;
    for (float& element : rows.subspan(row * columns, columns)) {
      element = *from;
      from += kRows;
    }
  }
}

std::uint64_t read_back_bytes(const GraphTensor& tensor) {
  const MatrixShape shape = matrix_shape(tensor);
  return tensor.bytes() + groups_at_once(shape) * shape.group_bytes();
}

void WeightReader::read_groups(VkBuffer packed, std::uint64_t offset, std::uint64_t bytes) {
  record_copy(commands_.recording(), packed, staging_.get(),
              {.srcOffset = offset, .dstOffset = 0, .size = bytes});
  commands_.submit_and_wait();
  commands_.flush();
}

std::vector<float> WeightReader::read(VkBuffer packed, const MatrixShape& shape) {
  const std::uint64_t at_once = groups_at_once(shape);
  staging_ = DeviceBuffer(memory_.device(), at_once * shape.group_bytes(),
                          VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  staging_.allocate(memory_, DeviceMemory::Use::kStaging);
  const MappedMemory mapped(memory_.device(), staging_.memory());
  const std::span<const float> staged(reinterpret_cast<const float*>(mapped.bytes().data()),
                                      mapped.bytes().size() / sizeof(float));
  std::vector<float> all(std::uint64_t{shape.rows} * shape.columns);
  for (std::uint64_t group = 0; group < shape.groups(); group += at_once) {
    const std::uint64_t groups = std::min(at_once, shape.groups() - group);
    read_groups(packed, group * shape.group_bytes(), groups * shape.group_bytes());
    const std::uint64_t row = group * MatrixShape::kRowsPacked;
    const std::uint64_t rows = std::min(groups * MatrixShape::kRowsPacked, shape.rows - row);
    unpack(staged, shape.columns,
           std::span(all).subspan(row * shape.columns, rows * shape.columns));
  }
  return all;
}

}  // namespace tidemark::loaders::executorch
