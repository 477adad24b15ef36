/// Which other blocks a larger one holds completely: arrays that a loop joined, one behind the
/// other or row by row. The sizes of a few blocks prove little, so each is compared at several
/// places with where it should be in the larger one.
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

/// Blocks of one process, indexed by eight of their first bytes. Takes some 60 bytes per block.
class BlockBeginnings {
 public:
  /// If more blocks begin alike, only the first ones are kept: such a begin tells nothing.
  static constexpr std::size_t kMaxAlike = 16;
  /// Where the eight bytes are: behind any header that a block may have.
  static constexpr std::size_t kKeyAt = 48;
  static constexpr std::size_t kKeyBytes = 8;

  /// Ignores a block whose key has the same word twice, as in zeros and tiles.
  /// @param first its first bytes, at least kKeyAt + kKeyBytes.
  void add(const BeginningBlock& block, std::span<const std::byte> first);
  /// @param bytes at least kKeyBytes; the first ones are the key.
  [[nodiscard]] std::span<const BeginningBlock> with(std::span<const std::byte> bytes) const;
  /// Whether so many have been added since the last sweep that half of all may be gone.
  [[nodiscard]] bool is_to_be_swept() const { return count_ >= swept_at_; }
  void sweep(const std::function<bool(const BeginningBlock&)>& is_there);

 private:
  static constexpr std::size_t kMinSweptBlocks = 1024;

  std::unordered_map<std::uint64_t, std::vector<BeginningBlock>> blocks_;
  std::size_t count_ = 0;
  std::size_t swept_at_ = kMinSweptBlocks;
};

/// Access to the process's memory. Pages that are not in memory are not read.
struct JoinedMemory {
  /// @return whether all of it could be read.
  std::function<bool(std::uint64_t address, std::span<std::byte> into)> read;
  /// @return none if the block is gone, or another one is at its address.
  std::function<std::optional<std::uint64_t>(const BeginningBlock&)> size_of;
};

/// A block that may have been joined from others, with its first bytes.
struct JoinedWhole {
  BeginningBlock block;
  std::span<const std::byte> first;  ///< At least 112 bytes.
  std::uint64_t at_ns = 0;
};

enum class JoinedState : std::uint8_t {
  kNone,     ///< It does not begin like a smaller block.
  kNotTold,  ///< It does, but what follows is no known block, perhaps only not yet.
  kIsJoined,
};
struct JoinedBlocks {
  JoinedState state = JoinedState::kNone;
  bool has_read = false;             ///< Process memory was read, whatever the result.
  std::vector<trace::Joined> parts;  ///< In their order in the whole; at least two if kIsJoined.
};

/// Finds up to 64 blocks that together are as large as the whole, to within a page. Each of them,
/// and the whole, may have a header of 16, 32 or 48 bytes. Row by row only if each block's row has
/// at least 64 bytes, and the first one's at most 256 KiB. Reads up to kMaxReads places, and one
/// row of the whole.
constexpr std::size_t kMaxReads = 1024;
JoinedBlocks find_joined_blocks(const JoinedWhole& whole,
                                const BlockBeginnings& beginnings,
                                const JoinedMemory& memory);

}  // namespace tidemark
