#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::loaders::ggml {

/// Whether the rest of a range, after everything ever used, competes with the holes before it.
enum class Fit {
  /// As in ggml 854e4530. While a graph is measured the rest is huge and never the best fit; in a
  /// buffer of the measured size it may be, so that the layout differs from the recording and may
  /// no longer fit (llama.cpp pull request 2639).
  kRestCompetes,
  /// As repaired by that pull request: the rest is used only if no hole is large enough.
  kRestIsLast,
};

/// The free parts of an address range: holes, in address order, and the rest. Neighbours are merged
/// at once.
class FreeBlocks {
 public:
  struct Block {
    std::uintptr_t address = 0;
    std::uint64_t bytes = 0;
  };
  static constexpr std::size_t kMaxHoles = 127;  ///< With the rest, ggml's 128 blocks.

  explicit FreeBlocks(Block whole, Fit fit = Fit::kRestIsLast) : rest_(whole), fit_(fit) {}

  /// From the front of the smallest block that is large enough, the last of equally small ones.
  /// @return nothing when no block is large enough.
  std::optional<std::uintptr_t> take(std::uint64_t bytes);

  /// @throws std::length_error when it would be one hole too many, as ggml asserts.
  void give_back(Block block);

  [[nodiscard]] std::uint64_t largest() const;
  [[nodiscard]] const std::vector<Block>& holes() const { return holes_; }
  [[nodiscard]] Block rest() const { return rest_; }

 private:
  using Hole = std::vector<Block>::iterator;

  Hole best_hole(std::uint64_t bytes);
  [[nodiscard]] bool rest_is_taken(std::uint64_t bytes, Hole hole) const;

  std::vector<Block> holes_;
  Block rest_;  ///< May be empty, and still is where the range ends.
  Fit fit_;
};

}  // namespace tidemark::loaders::ggml
