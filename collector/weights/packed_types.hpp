/// The quantised types of ggml that GGUF files hold, and what their elements are as float32.
///
/// Layouts and formulas: ggml-quants.c and gguf-py's quants.py of llama.cpp. Each value is rounded
/// only once, by its last operation, so fused and vectorised code gets the same bits. Types that
/// look up their values in a grid (iq1 to iq3) and ternary ones are not unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::weights {

/// Elements come in blocks with scales of their own.
struct PackedType {
  std::string_view word;  ///< From FORMAT.md's list.
  std::uint32_t block_bytes = 0;
  std::uint32_t block_elements = 0;
  /// Reads block_bytes at `block`, of any alignment, and writes block_elements at `values`.
  void (*unpack)(const std::byte* block, float* values) = nullptr;
};

/// nullptr if it is no such type, or one that is not unpacked.
const PackedType* packed_type(std::string_view word);

}  // namespace tidemark::weights
