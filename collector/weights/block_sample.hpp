/// A few bytes of a block, enough to recognise it.
#pragma once

#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark::weights {

/// What was seen of a block at one time.
struct BlockSample {
  static constexpr std::size_t kFirstBytes = 256;
  static constexpr std::size_t kInnerBytes = 64;
  /// The most bytes of an object's header in front of its values.
  static constexpr std::size_t kMaxHeaderBytes = 128;
  /// How much larger than its part of a file a block may be: a header, and a page.
  static constexpr std::uint64_t kMaxSlackBytes = kMaxHeaderBytes + 4096;

  trace::AllocationNumber allocation = 0;
  std::uint64_t size = 0;
  std::uint64_t at_ns = 0;
  std::uint32_t first_count = 0;  ///< How many of `first` were seen.
  std::uint64_t inner_at = 0;     ///< Offset of `inner` in the block, a multiple of 64.
  std::array<std::byte, kFirstBytes> first{};
  std::array<std::byte, kInnerBytes> inner{};

  /// Where `inner` is taken from: not at half, so as to be inside a tensor in a block with room for
  /// two; and at no simple fraction of the size, where tiles begin with a bias of zeros. If two
  /// blocks have as many elements of two types, the inner elements of the wider type are among
  /// those of the other.
  static constexpr std::uint64_t inner_place(std::uint64_t size) {
    return size * 37 / 100 / kInnerBytes * kInnerBytes;
  }
};

/// The bytes at a place in a mapping; what they belong to may begin anywhere.
using Probe = std::array<std::byte, 128>;

}  // namespace tidemark::weights
