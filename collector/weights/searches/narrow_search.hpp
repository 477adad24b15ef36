/// Blocks that hold the values of a file in a narrower type of float than the file has: a float64
/// file as float32, a float32 one as halves. For files that do not list their tensors, so that the
/// types of their numbers are unknown.
///
/// Rounding loses bits that only the file has, so the file is rounded and searched for what blocks
/// hold.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/word_places.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// Numbers have to begin at a multiple of four bytes in the file.
class NarrowSearch {
 public:
  /// Blocks beyond these are ignored.
  static constexpr std::size_t kMaxBlocks = 4096;
  /// For all files together: a second or two.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 29U;

  /// Adds a block to search for; call before any file is read.
  void want(const BlockSample& block);
  /// `file` stays borrowed.
  void read(const PlainFile& file);

  /// In a match, all values seen at the block's begin, after a possible object header, and all
  /// further inside are the file's, rounded to the nearest; and the block is at most a page larger
  /// than the rest of the narrowed file.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  /// A kind of narrowing. Places are offsets in the narrowed file.
  struct Narrowing {
    std::string_view type;
    std::string_view file_type;
    WordPlaces words{};
    [[nodiscard]] std::size_t times() const {
      return trace::float_bytes(file_type) / trace::float_bytes(type);
    }
    /// @param begin in the narrowed file.
    [[nodiscard]] bool is_at(const PlainFile& file,
                             std::uint64_t begin,
                             std::span<const std::byte> bytes) const;
  };

  static void take_narrow(Narrowing& narrowing, std::span<const std::byte> piece, FilePlace begin);
  [[nodiscard]] std::optional<trace::PackedMatch> find_as(const Narrowing& narrowing,
                                                          const BlockSample& block) const;

  std::size_t blocks_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::vector<const PlainFile*> files_;
  std::array<Narrowing, 4> narrowings_{
      {{"f32", "f64"}, {"f16", "f32"}, {"bf16", "f32"}, {"f32", "f64be"}}};
};

}  // namespace tidemark::weights
