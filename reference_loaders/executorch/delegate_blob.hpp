#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What ExecuTorch's Vulkan delegate gets as its program: a graph of operators over tensors. The
/// constants among them are in a .ptd file.
///
///     0  four zeros, "VH00", u16 header size = 30, u32 flatbuffer offset, u32 flatbuffer size,
///        u32 offset of raw bytes, u64 size of raw bytes; padding to 16
///        flatbuffer (schema/vk_graph.fbs), padding to 16
///        raw bytes: constants without a key, and shaders; none here
namespace tidemark::loaders::executorch {

inline constexpr std::int32_t kNone = -1;

struct GraphTensor {
  std::vector<std::uint32_t> dims;
  std::int32_t constant_id = kNone;  ///< Index into `constants`.
  std::int32_t mem_obj_id = kNone;   ///< Activations with the same one share memory.

  [[nodiscard]] bool is_constant() const { return constant_id != kNone; }
  /// As float32. Never too large for 64 bits in a graph that was read.
  [[nodiscard]] std::uint64_t bytes() const;
};

struct OperatorCall {
  std::string name;
  std::vector<std::int32_t> args;  ///< Indexes of values.
};

struct DelegateGraph {
  std::vector<OperatorCall> chain;  ///< In the order of execution, which is that of prepacking.
  std::vector<GraphTensor> values;
  std::vector<std::string> constants;  ///< Keys in the .ptd file.
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> outputs;
};

/// A graph whose indexes all point to what is there. Values other than float32 tensors and
/// constants in the blob itself are refused.
/// @param file the file's name, for messages. @throws BadInput
DelegateGraph parse_delegate(std::span<const std::byte> blob, const std::string& file);

std::string write_delegate(const DelegateGraph& graph);

}  // namespace tidemark::loaders::executorch
