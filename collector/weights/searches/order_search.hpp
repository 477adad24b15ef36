/// Blocks that hold values of a weight file in another order, packed for a fast multiplication or
/// turned, or the very bytes of it, or these widened to another type of float, or big-endian ones
/// turned round, moved by code that calls no function for it.
///
/// What packs a matrix puts values side by side that stand a row apart in the file, tile by tile,
/// with a bias or nothing in between; or short runs of a row, and behind each the run of the next
/// row. So what lies side by side in such a block is found in the file at a constant distance from
/// each other, again and again at the same one. No format has to be known for that, and no other
/// order does it: not sorted values, and not a plain copy, all of which is as far from the block's
/// beginning as it is in the file from there. What was widened is exact in the narrower type, so it
/// is narrowed again, and then looked for as the file's own bytes.
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

  /// @param may_be_big_endian of some file nobody says how its numbers lie in it.
  explicit OrderSearch(bool may_be_big_endian) : may_be_big_endian_(may_be_big_endian) {}

  /// The words of a block that may be in the files: before any of these is read.
  void want(const BlockSample& block);
  /// `file` stays borrowed. Behind WordPlaces::kMaxFileBytes of all files no words are looked for,
  /// but floats of a block's size are compared. So much takes a third of a second, and two where
  /// there are kMaxBlocks; four times that where words may begin at any byte.
  void read(const PlainFile& file);
  /// For others who look for words in the same files.
  [[nodiscard]] WordPlaces& words() { return words_; }

  /// In another order: of 16 words further inside the block 12 at least, and 16 of those at its
  /// beginning, stand in runs of four or more at the same distance in one file; or 12 of them in
  /// runs of the file's own order, and at the beginning three such runs at the same distance from
  /// each other; or one run at either place, of a tensor of the block's size, or an eighth less:
  /// its first values at the beginning, and others inside than a plain copy has there. As in the
  /// file (a distance of 0): all of those 16 words, and those at the beginning behind what may be
  /// an object's header, and the block is no larger than what of the file there is from there on.
  /// Of a file without a list the same with gaps, a tenth of it in all, spread over it evenly.
  /// Widened: the same of what its elements are in a narrower type; and of big-endian ones. Scaled:
  /// at both places they are the values of such floats as have the block's size, multiplied by one
  /// number, and another one added; or the same of their absolute values.
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
  /// What was seen of a block, as it is or as it was before it was converted.
  struct View {
    std::vector<std::byte> first;
    std::vector<std::byte> inner;
    std::uint64_t inner_at = 0;
    std::uint64_t size = 0;
    std::size_t header = 0;  ///< What an object's header may take of it.
    std::string_view type{};
    std::string_view file_type{};
  };

  /// The block as it is first; then what it may have been converted from.
  [[nodiscard]] std::vector<View> views_of(const BlockSample& block) const;
  /// Where the bytes that begin with it may be.
  [[nodiscard]] std::span<const FilePlace> places_of(const View& view,
                                                     std::span<const std::byte> bytes) const;
  [[nodiscard]] Run longest_run(std::span<const std::uint32_t> words) const;
  [[nodiscard]] RunsByDistance runs_of(std::span<const std::byte> bytes) const;
  /// Of runs in the file's own order, each at the same distance behind the one before it.
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
  /// @return a match with what is known of the block, and a place in a file.
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
