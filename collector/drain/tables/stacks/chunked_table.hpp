/// A table by number that grows without moving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark {

/// Entries are there once they are asked for, as `Entry{}`. In chunks: an array of millions that
/// grows would be copied, and take fresh pages for it, again and again.
/// @tparam kChunk entries that come at one time.
template <typename Entry, std::uint32_t kChunk>
class ChunkedTable {
 public:
  /// The reference is good for the table's life.
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
