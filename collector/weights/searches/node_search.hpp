/// Blocks that hold a file's numbers one per node, with other data in between: values with a type
/// tag (a variant, an array of a dynamic language), or a member of a struct; and arrays of Ruby,
/// which packs the tag into the number.
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

/// Searches for float32 and float64, and for float64 that are float32 in the file, in nodes of 8 to
/// 64 bytes. Ignores the data in between.
class NodeSearch {
 public:
  /// Blocks beyond these are ignored.
  static constexpr std::size_t kMaxBlocks = 1024;
  static constexpr std::size_t kMaxNodeBytes = 64;

  /// @param words stays borrowed; its owner reads files into it, and may want other words, too.
  explicit NodeSearch(WordPlaces& words) : words_(words) {}

  /// Adds a block to search for; call before any file is read.
  void want(const BlockSample& block);
  /// Call after each file that was read into the words, in that order. `file` stays borrowed.
  void note_read(const PlainFile& file) { files_.push_back(&file); }

  /// In a match, at least four nodes at the block's begin hold consecutive numbers of the file, and
  /// all nodes further inside hold the numbers that are as far behind these as the nodes are; or
  /// less far, by a part from 1/512 to 1/16, as of objects in an allocator's pools, which begin
  /// with headers. No match if the numbers at another place in nodes of that size are the file's as
  /// well, as in interleaved rows; or if the block has room for more than twice the numbers in the
  /// rest of the file.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  /// What a number is, in the block and in the file.
  struct Kind {
    std::string_view type{};
    std::string_view file_type{};
    bool is_tagged = false;  ///< By bits of the number itself.
  };
  /// How numbers may lie in a block.
  struct Layout {
    Kind kind{};
    std::size_t node_bytes = 0;
    std::size_t begin = 0;  ///< Offset in the block of the first number examined.
  };

  static const std::array<Kind, 4> kKinds;

  [[nodiscard]] static std::vector<std::byte> numbers_in(std::span<const std::byte> bytes,
                                                         std::size_t begin,
                                                         const Layout& layout);
  [[nodiscard]] static std::vector<Layout> layouts_of(const BlockSample& block);
  [[nodiscard]] static std::vector<std::byte> numbers_at_beginning(const BlockSample& block,
                                                                   const Layout& layout);
  /// The same further inside, wherever the nodes begin: two numbers at least.
  [[nodiscard]] static std::vector<Layout> layouts_inside(const BlockSample& block,
                                                          const Layout& layout);
  [[nodiscard]] std::optional<trace::PackedMatch> find_as(const BlockSample& block,
                                                          const Layout& layout) const;
  /// Whether numbers further inside follow those at `place` in the file, as far apart as in the
  /// block except for headers between them.
  [[nodiscard]] bool is_in_pools(const BlockSample& block,
                                 const Layout& layout,
                                 FilePlace place) const;

  WordPlaces& words_;
  std::size_t blocks_ = 0;
  std::vector<const PlainFile*> files_;
};

}  // namespace tidemark::weights
