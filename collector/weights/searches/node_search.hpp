/// Blocks that hold a file's numbers one in a node each, with other things between them: values
/// that have a type tag (a variant, an array of a dynamic language), or a member of a struct; and
/// arrays of Ruby, which packs the tag into the number.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/word_places.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// Looks for float32 and float64, and for float64 that are float32 in the file, in nodes of 8 to 64
/// bytes. What lies between them is not looked at.
class NodeSearch {
 public:
  /// The first that are wanted.
  static constexpr std::size_t kMaxBlocks = 1024;
  static constexpr std::size_t kMaxNodeBytes = 64;

  /// @param words stays borrowed; who reads the files into it may look for other words, too.
  explicit NodeSearch(WordPlaces& words) : words_(words) {}

  /// What of a block may be in the files: before any of these is read.
  void want(const BlockSample& block);
  /// Was read into the words, after those before. `file` stays borrowed.
  void note_read(const PlainFile& file) { files_.push_back(&file); }

  /// Four nodes at least at the block's beginning hold numbers that follow each other in the file,
  /// and all nodes further inside those that are as many numbers behind them. None where the
  /// numbers at another place in nodes of that size are the file's as well, as in rows that were
  /// interleaved; and of a block that has room for more than twice as many numbers as the rest of
  /// the file has.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  /// How numbers may lie in a block.
  struct Layout {
    std::string_view type{};
    std::string_view file_type{};
    bool is_tagged = false;  ///< By bits of the number itself.
    std::size_t node_bytes = 0;
    std::size_t begin = 0;  ///< In the block, of the first number that is looked at.
  };

  [[nodiscard]] static std::vector<Layout> layouts_of(const BlockSample& block);
  [[nodiscard]] static std::vector<std::byte> numbers_at_beginning(const BlockSample& block,
                                                                   const Layout& layout);
  [[nodiscard]] std::optional<trace::PackedMatch> find_as(const BlockSample& block,
                                                          const Layout& layout) const;

  WordPlaces& words_;
  std::size_t blocks_ = 0;
  std::vector<const PlainFile*> files_;
};

}  // namespace tidemark::weights
