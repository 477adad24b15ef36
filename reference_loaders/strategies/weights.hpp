#pragma once

#include "reference_loaders/strategies/weights_index.hpp"
#include "reference_loaders/system.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::loaders::strategies {

class WeightsFile;

/// Memory that weights are read into: never zeroed, huge pages asked for.
class Block {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// @throws std::bad_alloc
  explicit Block(std::uint64_t bytes, std::size_t alignment = kAlignment);

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_.get(), bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };

  std::unique_ptr<std::byte, Free> data_;
  std::uint64_t bytes_;
};

/// A whole file, mapped read-only.
///
/// Its pages are the page cache's: they take nothing of their own, and are read when they are first
/// touched. That is why a file that somebody cuts while it is mapped ends the loader with SIGBUS,
/// as it ends every loader that maps; only what is cut before is refused.
class Mapping {
 public:
  enum class Prefetch {
    kNone,
    kPopulate,  ///< MAP_POPULATE: the call returns when every page is there and in the page table.
    kWillNeed,  ///< MADV_WILLNEED: the kernel begins to read; each first touch is still a fault.
  };

  /// @throws std::system_error when the kernel will not map it.
  Mapping(const WeightsFile& file, Prefetch prefetch);

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {data_.get(), data_.get_deleter().bytes};
  }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(const std::byte* data) const;
  };

  std::unique_ptr<const std::byte, Unmap> data_;
};

/// Weights in memory, and whatever keeps them there.
struct Weights {
  WeightsIndex index = {};
  std::vector<Block> blocks = {};                     ///< One per tensor, or one for all.
  std::optional<Mapping> mapping = {};                ///< For a file that is used in place.
  std::vector<std::span<const std::byte>> data = {};  ///< By tensor of the index.
  std::vector<Note> notes = {};

  /// Memory for the next tensor of the index, not filled yet.
  std::span<std::byte> add_block(std::uint64_t bytes);
};

}  // namespace tidemark::loaders::strategies
