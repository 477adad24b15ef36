/// A table by number that grows without moving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark {

/// Entries are created on access, as `Entry{}`. Uses chunks, because a growing array of millions
/// would be copied to fresh pages again and again.
/// @tparam kChunk entries per chunk.
template <typename Entry, std::uint32_t kChunk>
class ChunkedTable {
 public:
  /// The reference is valid for the table's life.
  Entry& operator[](std::uint32_t number) {
    const std::size_t chunk = number / kChunk;
    if (chunk >= chunks_.size())
      chunks_.resize(chunk + 1);
    if (!chunks_[chunk])
      chunks_[chunk] = std::make_unique<Entry[]>(kChunk);
    return chunks_[chunk][number % kChunk];
  }

 private:
  std::vector<std::unique_ptr<Entry[]>> chunks_;
};

}  // namespace tidemark
