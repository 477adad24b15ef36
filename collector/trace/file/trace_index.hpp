/// The index block and the trailer at its end: see "Index block" in FORMAT.md.
#pragma once

#include "collector/trace/coding/block.hpp"
#include "collector/trace/coding/bytes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::trace {

/// Where a block is, and the summary of an events block.
struct IndexEntry {
  std::uint64_t offset = 0;
  std::uint8_t type = 0;
  BlockSummary summary;  ///< Only of events blocks.

  [[nodiscard]] bool is(BlockType wanted) const {
    return type == static_cast<std::uint8_t>(wanted);
  }
};

/// Appends the whole index block, which will be at `offset` in the file.
void append_index_block(const std::vector<IndexEntry>& entries,
                        std::uint64_t offset,
                        ByteBuffer& out);
/// The entries of the index that `file` ends with, if it is there and intact.
std::optional<std::vector<IndexEntry>> read_index(ByteView file);

}  // namespace tidemark::trace
