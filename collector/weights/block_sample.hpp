/// A few bytes of a block, by which it is recognised.
#pragma once

#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark::weights {

/// What was seen of a block at a time.
struct BlockSample {
  static constexpr std::size_t kFirstBytes = 256;
  static constexpr std::size_t kInnerBytes = 64;
  /// Of an object that has its values behind it.
  static constexpr std::size_t kMaxHeaderBytes = 128;
  /// By which a block that holds so much of a file may be larger: a header, and a page.
  static constexpr std::uint64_t kMaxSlackBytes = kMaxHeaderBytes + 4096;

  trace::AllocationNumber allocation = 0;
  std::uint64_t size = 0;
  std::uint64_t at_ns = 0;
  std::uint32_t first_count = 0;  ///< How many of `first` were seen.
  std::uint64_t inner_at = 0;     ///< In the block, a multiple of 64.
  std::array<std::byte, kFirstBytes> first{};
  std::array<std::byte, kInnerBytes> inner{};

  /// Where `inner` is taken from: not at half, so that it is within a tensor in a block that has
  /// room for two of them; and at no simple part of the size, where tiles begin with a bias of
  /// zeros. In two blocks of as many elements of two types the elements of the wider one are among
  /// those of the other.
  static constexpr std::uint64_t inner_place(std::uint64_t size) {
    return size * 37 / 100 / kInnerBytes * kInnerBytes;
  }
};

/// What a place in a mapping held: whatever it belongs to may begin anywhere.
using Probe = std::array<std::byte, 128>;

}  // namespace tidemark::weights
