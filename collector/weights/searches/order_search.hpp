/// Blocks that hold values of a weight file and were filled by code that calls no function for it:
/// in another order (packed for fast multiplication, or transposed), as the very bytes, widened to
/// another type of float, or big-endian values with their bytes swapped.
///
/// Packing a matrix puts values side by side that are a row apart in the file, tile by tile, with a
/// bias or nothing in between; or short runs of a row, each followed by the run of the next row. So
/// neighbours in such a block are found in the file at a constant distance from each other, again
/// and again. This needs no knowledge of the format, and no other order does it: not sorted values,
/// nor a plain copy, which is contiguous in the file too. Widened values are exact in the narrower
/// type, so they are narrowed again and then searched for as the file's own bytes.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/word_places.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::weights {

/// Looks for words of four bytes: a float32, or four values of a byte each that stay together, as
/// they are, in another order, widened, or scaled. What is packed by two bytes is not found.
class OrderSearch {
 public:
  static constexpr std::size_t kMaxBlocks = 4096;

  /// @param may_be_big_endian the byte order of some file's numbers is unknown.
  explicit OrderSearch(bool may_be_big_endian) : may_be_big_endian_(may_be_big_endian) {}

  /// Adds the words of a block to search for; call before any file is read.
  void want(const BlockSample& block);
  /// `file` stays borrowed. Beyond WordPlaces::kMaxFileBytes of all files no words are searched
  /// for, but floats of a block's size are compared. Reading that much takes a third of a second,
  /// two seconds with kMaxBlocks; four times as long if words may begin at any byte.
  void read(const PlainFile& file);
  /// For other searches for words in the same files.
  [[nodiscard]] WordPlaces& words() { return words_; }

  /// The matches:
  /// In another order: at least 12 of 16 words further inside the block, and 16 of those at its
  /// begin, are in runs of four or more with the same distance in one file. Or 12 of them are in
  /// runs in the file's own order, with three such runs at the begin at the same distance from each
  /// other. Or each place has one run, in a tensor of the block's size or up to an eighth less: its
  /// first values at the begin, and inside other values than a plain copy would have there.
  /// As in the file (a distance of 0): all of those 16 words, and those at the begin after a
  /// possible object header; and the block is no larger than the rest of the file. For a file
  /// without a list of tensors, also with gaps, a tenth in all, evenly spread.
  /// Widened: the same for its elements in a narrower type, also big-endian ones.
  /// Scaled: at both places, the values are those of floats of the block's size, times one number
  /// plus another, which may be others at each place; or the same for the absolute values of all.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  struct Run {
    std::size_t words = 0;
    std::int64_t distance = 0;
    FilePlace begin;
  };
  /// How many words stand in runs, where the first of them is, and how many runs there are.
  struct Runs {
    std::size_t words = 0;
    FilePlace begin;
    std::size_t count = 0;
  };
  using RunsByDistance = std::unordered_map<std::int64_t, Runs>;
  /// What was seen of a block, as it is or as it may have been before conversion.
  struct View {
    std::vector<std::byte> first;
    std::vector<std::byte> inner;
    std::uint64_t inner_at = 0;
    std::uint64_t size = 0;
    std::size_t header = 0;  ///< The most bytes of an object's header.
    std::string_view type{};
    std::string_view file_type{};
  };

  /// The block as it is first; then what it may have been converted from.
  [[nodiscard]] std::vector<View> views_of(const BlockSample& block) const;
  /// Where in files `bytes` may be.
  [[nodiscard]] std::span<const FilePlace> places_of(const View& view,
                                                     std::span<const std::byte> bytes) const;
  [[nodiscard]] Run longest_run(std::span<const std::uint32_t> words) const;
  [[nodiscard]] RunsByDistance runs_of(std::span<const std::byte> bytes) const;
  /// Runs in the file's own order, each at the same distance after the previous one.
  [[nodiscard]] RunsByDistance rows_of(std::span<const std::byte> bytes) const;
  [[nodiscard]] std::optional<trace::PackedMatch> find_as_in_file(const BlockSample& block,
                                                                  const View& view) const;
  [[nodiscard]] bool is_as_in_file(const View& view, FilePlace inner) const;
  [[nodiscard]] std::optional<trace::PackedMatch> find_wide_panels(const BlockSample& block) const;
  [[nodiscard]] std::optional<trace::PackedMatch> find_with_gaps(const BlockSample& block) const;
  /// @param header words of the block in front of what is at `first`.
  [[nodiscard]] bool has_gaps_alike(const BlockSample& block,
                                    std::uint64_t header,
                                    FilePlace first,
                                    FilePlace inner) const;
  [[nodiscard]] std::optional<trace::PackedMatch> find_scaled(const BlockSample& block) const;
  /// @return a match of the block with a place in a file.
  [[nodiscard]] trace::PackedMatch match_at(const BlockSample& block,
                                            FilePlace place,
                                            std::int64_t distance) const;

  bool may_be_big_endian_ = false;
  std::size_t blocks_ = 0;
  std::vector<const PlainFile*> files_;
  WordPlaces words_;
  std::multimap<std::uint64_t, FilePlace> floats_;  ///< By bytes.
};

}  // namespace tidemark::weights
