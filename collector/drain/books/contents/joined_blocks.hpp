/// Which blocks a larger one holds, all of each: arrays that a loop joined, one behind the other or
/// row by row. Sizes alone say little of a few blocks, so each is compared at several places with
/// where it would stand.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Bytes in front of the values: none, or the header of Java's arrays, Python's bytes, R's vectors.
constexpr std::array<std::uint64_t, 4> kValueHeaders{0, 16, 32, 48};

/// A block by what it begins with.
struct BeginningBlock {
  trace::AllocationNumber allocation = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0: not known.
};

/// Blocks of one process by eight of their first bytes. Some 60 bytes each.
class BlockBeginnings {
 public:
  /// Of blocks that begin alike the first ones are kept: that many tell nothing.
  static constexpr std::size_t kMaxAlike = 16;
  /// Where these are: behind every header that a block may have.
  static constexpr std::size_t kKeyAt = 48;
  static constexpr std::size_t kKeyBytes = 8;

  /// Passes over one with a word twice there, as zeros and tiles have it.
  /// @param first what it begins with, kKeyAt + kKeyBytes at least.
  void add(const BeginningBlock& block, std::span<const std::byte> first);
  /// @param bytes kKeyBytes at least, of which the first count.
  [[nodiscard]] std::span<const BeginningBlock> with(std::span<const std::byte> bytes) const;
  /// Whether so many have come since they were swept that half of them may have gone.
  [[nodiscard]] bool is_to_be_swept() const { return count_ >= swept_at_; }
  void sweep(const std::function<bool(const BeginningBlock&)>& is_there);

 private:
  static constexpr std::size_t kLeastSwept = 1024;

  std::unordered_map<std::uint64_t, std::vector<BeginningBlock>> blocks_;
  std::size_t count_ = 0;
  std::size_t swept_at_ = kLeastSwept;
};

/// What is asked of the process. A page that is not in memory is not asked for.
struct JoinedMemory {
  /// Whether all of it could be read.
  std::function<bool(std::uint64_t address, std::span<std::byte> into)> read;
  /// None where it has gone, or another block is at its address.
  std::function<std::optional<std::uint64_t>(const BeginningBlock&)> size_of;
};

/// A block that may have been joined from others, with what it begins with.
struct JoinedWhole {
  BeginningBlock block;
  std::span<const std::byte> first;  ///< 112 bytes at least.
  std::uint64_t at_ns = 0;
};

enum class JoinedState : std::uint8_t {
  kNone,     ///< It does not begin as another, smaller one does.
  kNotTold,  ///< It does, but what follows is nothing that is known: yet, or ever.
  kIsJoined,
};
struct JoinedBlocks {
  JoinedState state = JoinedState::kNone;
  bool has_read = false;             ///< Of the process's memory, whatever came of it.
  std::vector<trace::Joined> parts;  ///< As they lie in the whole; of kIsJoined two at least.
};

/// Reads up to kMaxReads places, and one row of the whole. Up to 64 blocks, which together are as
/// large as the whole, to a page; each may have a header of 16, 32 or 48 bytes, and the whole, too.
/// Row by row where a row of each has 64 bytes or more, and the first one's has no more than 256
/// KiB.
constexpr std::size_t kMaxReads = 1024;
JoinedBlocks find_joined_blocks(const JoinedWhole& whole,
                                const BlockBeginnings& beginnings,
                                const JoinedMemory& memory);

}  // namespace tidemark
