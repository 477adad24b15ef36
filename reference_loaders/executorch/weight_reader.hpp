#pragma once

#include "reference_loaders/executorch/command_context.hpp"
#include "reference_loaders/executorch/matrix_shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::loaders::executorch {

/// Brings packed weights back to the host, in the order that they have in the file, through a small
/// staging buffer.
class WeightReader {
 public:
  /// Both stay borrowed.
  WeightReader(const DeviceMemory& memory, CommandContext& commands)
      : memory_(memory), commands_(commands) {}

  /// @throws VulkanError
  std::vector<float> read(VkBuffer packed, const MatrixShape& shape);

 private:
  void read_groups(VkBuffer packed, std::uint64_t offset, std::uint64_t bytes);

  const DeviceMemory& memory_;
  CommandContext& commands_;
  DeviceBuffer staging_;
};

/// Groups of four rows, `packed`, as rows. Rows after the last one are left out.
/// @param columns of each row. @param rows dense; their number is that of `rows` by `columns`.
void unpack(std::span<const float> packed, std::uint32_t columns, std::span<float> rows);

/// Bytes that reading a tensor takes, staging included.
std::uint64_t read_back_bytes(const GraphTensor& tensor);

}  // namespace tidemark::loaders::executorch
