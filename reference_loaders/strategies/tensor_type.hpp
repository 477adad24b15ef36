#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tidemark::loaders::strategies {

/// How the elements of a tensor are stored in a file. Quantised types are blocks of a fixed number
/// of elements and bytes, which the loaders keep unchanged.
struct TensorType {
  std::string_view name;              ///< As NumPy or ggml has it: "float32", "q4_0".
  std::optional<std::uint32_t> gguf;  ///< Its number in GGUF, where it can be in one.
  std::string_view safetensors;       ///< Its name in safetensors; empty where it cannot be in one.
  std::uint32_t block_elements = 1;
  std::uint32_t block_bytes = 0;
};

/// @return null for a number or name that is not known, so that its size is not known either.
const TensorType* find_gguf_type(std::uint32_t number);
const TensorType* find_safetensors_type(std::string_view name);

const TensorType& float32();
const TensorType& bfloat16();

/// Bytes of a dense tensor, or nothing when a dimension is negative, the product overflows, or a
/// row is not a whole number of blocks. `shape` is row-major: the last dimension is that of a row.
std::optional<std::uint64_t> tensor_bytes(std::span<const std::int64_t> shape,
                                          const TensorType& type);

}  // namespace tidemark::loaders::strategies
