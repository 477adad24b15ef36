/// Arrays of 1, 2, 4 ... 256 words, handed out and taken back.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace tidemark {

/// Arrays of one length share chunks. What is given back serves the next of the same length, and
/// its memory stays here.
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
  struct Release {
    void operator()(std::uint64_t* chunk) const { std::free(chunk); }
  };

  static std::size_t length_class(std::size_t words) {
    return static_cast<std::size_t>(std::countr_zero(words));
  }

  /// Many are asked for at random where many are in use, and each page of 4 KiB is one more that
  /// the processor has to look up then. Large pages halve what a random release costs beside
  /// 8 million blocks; few arrays do without.
  void add_chunk(std::size_t words) {
    constexpr std::size_t kSmallBytes = std::size_t{32} << 10;
    constexpr std::size_t kLargeBytes = std::size_t{2} << 20;
    const bool is_large = bytes_ >= 2 * kLargeBytes;
    const std::size_t bytes = is_large ? kLargeBytes : kSmallBytes;
    std::unique_ptr<std::uint64_t, Release> owner(static_cast<std::uint64_t*>(
        std::aligned_alloc(is_large ? kLargeBytes : kMaxWords * sizeof(std::uint64_t), bytes)));
    if (owner == nullptr)
      throw std::bad_alloc();
    std::uint64_t* chunk = owner.get();
    chunks_.push_back(std::move(owner));
    if (is_large)
      (void)madvise(chunk, bytes, MADV_HUGEPAGE);
    bytes_ += bytes;
    // Backwards, so that they are handed out in the order of their addresses.
    for (std::size_t at = bytes / sizeof(std::uint64_t); at != 0; at -= words)
      give_back(&chunk[at - words], words);
  }

  std::array<std::uint64_t*, std::bit_width(kMaxWords)> free_{};  ///< Each names the next one.
  std::vector<std::unique_ptr<std::uint64_t, Release>> chunks_;
  std::size_t bytes_ = 0;
};

}  // namespace tidemark
