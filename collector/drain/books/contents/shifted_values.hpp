/// Which larger block holds all of a block's values behind something else: for example an array,
/// and the file's bytes that it was taken from, where a header or other arrays precede it. Sizes do
/// not tell this, and the values may begin at any byte.
#pragma once

#include "collector/drain/books/contents/joined_blocks.hpp"
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

/// Where in a process's blocks some eight-byte words are: one at every eighth byte near the begin
/// of a block, and behind what is known of it. Takes some 60 bytes per word.
class NearWords {
 public:
  static constexpr std::size_t kWindowBytes = 4096;
  static constexpr std::size_t kStep = 8;
  static constexpr std::size_t kMaxWords = 65'536;
  /// The most places kept for a word.
  static constexpr std::size_t kMaxAlike = 4;

  struct Place {
    BeginningBlock block;
    std::uint64_t begin = 0;  ///< Offset of the word in the block.
  };

  /// Ignores words with equal halves, as in zeros and tiles, and words for which there is no room.
  /// @param begin where in the block the bytes are.
  void add(const BeginningBlock& block, std::uint64_t begin, std::span<const std::byte> bytes);
  /// @param bytes at least eight; the first ones are the word.
  [[nodiscard]] std::span<const Place> with(std::span<const std::byte> bytes) const;
  /// Whether there is no room for another window.
  [[nodiscard]] bool is_full() const { return count_ + kWindowBytes / kStep > kMaxWords; }
  void sweep(const std::function<bool(const BeginningBlock&)>& is_there);

 private:
  std::unordered_map<std::uint64_t, std::vector<Place>> places_;
  std::size_t count_ = 0;
};

/// A block whose begin was found in a larger one.
struct ShiftedValues {
  using Place = std::array<std::byte, 64>;

  BeginningBlock larger;
  trace::Joined joined;
  std::uint64_t header = 0;  ///< Bytes of the block's header.
  /// What the block must hold where its values begin, at a third, at four fifths and near its end.
  /// Read in advance, since the larger one may be freed as soon as all is copied.
  std::array<Place, 4> expected{};
};

struct ShiftedSearch {
  bool has_read = false;  ///< Process memory was read, whatever the result.
  std::optional<ShiftedValues> begun;
};

/// Reads up to five places of each of up to four larger blocks. The block may have a header of 16,
/// 32 or 48 bytes; in the larger one the values begin after its 48th byte (find_joined_blocks finds
/// values that begin both). Does not find values that repeat, or are not telling further inside.
/// @param held at least 1 KiB large, with at least 120 of its first bytes.
ShiftedSearch find_shifted_values(const JoinedWhole& held,
                                  const NearWords& words,
                                  const JoinedMemory& memory);

/// Whether the block at `address` holds the expected bytes at all four places.
bool holds_shifted_values(std::uint64_t address,
                          const ShiftedValues& values,
                          const JoinedMemory& memory);

}  // namespace tidemark
