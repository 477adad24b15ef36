/// The types of tensor elements.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::weights {

/// A type's word in FORMAT.md's list, and its size: packed elements come in blocks of several.
struct ElementType {
  std::string_view word;
  std::uint32_t block_bytes = 0;
  std::uint32_t block_elements = 1;
};

/// @return false if `elements` is not a number of whole blocks, or there are too many bytes.
constexpr bool bytes_of_elements(const ElementType& type,
                                 std::uint64_t elements,
                                 std::uint64_t& bytes) {
  constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 48U;
  const std::uint64_t blocks = elements / type.block_elements;
  bytes = blocks * type.block_bytes;
  return elements % type.block_elements == 0 && blocks <= kMaxBlocks && type.block_bytes != 0;
}

}  // namespace tidemark::weights
