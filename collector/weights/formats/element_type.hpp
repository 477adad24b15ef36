/// What the elements of a tensor are.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::weights {

/// A word of FORMAT.md's list, and how many bytes so many elements take: packed ones come in
/// blocks.
struct ElementType {
  std::string_view word;
  std::uint32_t block_bytes = 0;
  std::uint32_t block_elements = 1;
};

/// @return false where `elements` are no whole blocks, or more bytes than a number says.
constexpr bool bytes_of_elements(const ElementType& type,
                                 std::uint64_t elements,
                                 std::uint64_t& bytes) {
  constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 48U;
  const std::uint64_t blocks = elements / type.block_elements;
  bytes = blocks * type.block_bytes;
  return elements % type.block_elements == 0 && blocks <= kMaxBlocks && type.block_bytes != 0;
}

}  // namespace tidemark::weights
