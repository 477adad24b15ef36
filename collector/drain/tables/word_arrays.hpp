/// Arrays of 1, 2, 4 ... 256 words, handed out and taken back.
#pragma once

#include "collector/drain/tables/table_chunk.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark {

/// Arrays of one length share chunks. A returned array is reused for the same length; memory is
/// never freed earlier than this object.
class WordArrays {
 public:
  static constexpr std::size_t kMaxWords = 256;

  /// @param words a power of two.
  /// @return not initialised; owned by this until it is given back.
  std::uint64_t* take(std::size_t words) {
    std::uint64_t*& head = free_[length_class(words)];
    if (head == nullptr)
      add_chunk(words);
    std::uint64_t* array = head;
    head = reinterpret_cast<std::uint64_t*>(*array);
    return array;
  }
  void give_back(std::uint64_t* array, std::size_t words) {
    std::uint64_t*& head = free_[length_class(words)];
    *array = reinterpret_cast<std::uint64_t>(head);
    head = array;
  }

 private:
  static std::size_t length_class(std::size_t words) {
    return static_cast<std::size_t>(std::countr_zero(words));
  }

  void add_chunk(std::size_t words) {
    const std::size_t bytes = next_chunk_bytes(bytes_, 2 * kLargeChunkBytes);
    chunks_.push_back(make_table_chunk(bytes));
    bytes_ += bytes;
    auto* const chunk = reinterpret_cast<std::uint64_t*>(chunks_.back().get());
    // Backwards, so that arrays are handed out by ascending address.
    for (std::size_t at = bytes / sizeof(std::uint64_t); at != 0; at -= words)
      give_back(&chunk[at - words], words);
  }

  std::array<std::uint64_t*, std::bit_width(kMaxWords)> free_{};  ///< Free list for each length.
  std::vector<TableChunk> chunks_;
  std::size_t bytes_ = 0;
};

}  // namespace tidemark
