/// Which larger block holds all of a block's values behind something else: an array beside the
/// file's bytes that it was made of, which have a header in front of it, or other arrays. No size
/// says so, and it may begin at any byte.
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

/// Where in a process's blocks some words of eight bytes are: every eighth byte near the beginning
/// of a block, and behind what is known of it. Some 60 bytes a word.
class NearWords {
 public:
  static constexpr std::size_t kWindowBytes = 4096;
  static constexpr std::size_t kStep = 8;
  static constexpr std::size_t kMaxWords = 65'536;
  /// Of a word that is in so many places no more are kept.
  static constexpr std::size_t kMaxAlike = 4;

  struct Place {
    BeginningBlock block;
    std::uint64_t begin = 0;  ///< Of the word, in the block.
  };

  /// Passes over words whose halves are the same, as zeros and tiles have it; and over all that
  /// there is no room for.
  /// @param begin where in the block the bytes are.
  void add(const BeginningBlock& block, std::uint64_t begin, std::span<const std::byte> bytes);
  /// @param bytes eight at least, of which the first count.
  [[nodiscard]] std::span<const Place> with(std::span<const std::byte> bytes) const;
  /// Whether a window finds no room any more.
  [[nodiscard]] bool is_full() const { return count_ + kWindowBytes / kStep > kMaxWords; }
  void sweep(const std::function<bool(const BeginningBlock&)>& is_there);

 private:
  std::unordered_map<std::uint64_t, std::vector<Place>> places_;
  std::size_t count_ = 0;
};

/// A block that has begun as what stands in a larger one.
struct ShiftedValues {
  using Place = std::array<std::byte, 64>;

  BeginningBlock larger;
  trace::Joined joined;
  std::uint64_t header = 0;  ///< Of the block.
  /// What it has to hold where its values begin, at a third, at four fifths and near its end: the
  /// larger one may go as soon as all is copied.
  std::array<Place, 4> expected{};
};

struct ShiftedSearch {
  bool has_read = false;  ///< Of the process's memory, whatever came of it.
  std::optional<ShiftedValues> begun;
};

/// Reads up to five places of each of up to four larger blocks. The block may have a header of 16,
/// 32 or 48 bytes; in the larger one the values begin behind its 48th byte: what begins both is for
/// others to find. Nothing is found of what repeats itself, or says nothing further inside.
/// @param held with 120 of its first bytes at least, and 1 KiB large.
ShiftedSearch find_shifted_values(const JoinedWhole& held,
                                  const NearWords& words,
                                  const JoinedMemory& memory);

/// Whether the block at that address holds them, at each of the four places.
bool holds_shifted_values(std::uint64_t address,
                          const ShiftedValues& values,
                          const JoinedMemory& memory);

}  // namespace tidemark
