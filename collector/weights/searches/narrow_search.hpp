/// Blocks that hold the values of a file as a narrower type of float than it has: a float64 file as
/// float32, a float32 one as halves. Of files that list no tensors, so that nobody says which
/// numbers are in them.
///
/// What rounding takes away is in the file alone, so the file is rounded, and looked through for
/// what blocks hold.
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
  /// The first that are wanted.
  static constexpr std::size_t kMaxBlocks = 4096;
  /// Of all files together: a second or two.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 29U;

  /// What of a block may be in the files: before any of these is read.
  void want(const BlockSample& block);
  /// `file` stays borrowed.
  void read(const PlainFile& file);

  /// All values that were seen at the block's beginning, behind what may be an object's header, and
  /// all further inside are those of the file, rounded to the nearest; and the block is no larger
  /// than the rest of the file would be, but for a page.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  /// Places are those in the file as it would be if it were narrow.
  struct Narrowing {
    std::string_view type;
    std::string_view file_type;
    WordPlaces words{};
    [[nodiscard]] std::size_t times() const {
      return trace::float_bytes(file_type) / trace::float_bytes(type);
    }
    /// @param begin in the narrow file.
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
