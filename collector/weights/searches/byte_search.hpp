/// Blocks of float32 that were made of a file's whole numbers of one byte each, by a scale, or by a
/// scale and a zero point: quantised weights that a loop of the program unpacked.
///
/// Neither the scale nor its place in the file has to be known. As long as one scale holds, the
/// differences of neighbouring floats are whole multiples of it, and so many times it as the file's
/// bytes differ. What is looked for is a row of such differences.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/weights/block_sample.hpp"
#include "collector/weights/searches/order_search.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::weights {

class ByteSearch {
 public:
  /// Of all files together: two seconds or so, where blocks may be made of bytes at all.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30U;

  /// What of a block may be in the files: before any of these is read.
  void want(const BlockSample& block);
  /// No block may be made of bytes: nothing has to be read.
  [[nodiscard]] bool is_empty() const { return places_.empty(); }
  /// `file` stays borrowed.
  void read(const PlainFile& file);

  /// Twelve floats further inside the block, and twelve behind what may be an object's header,
  /// are as many neighbouring bytes of one file, each group with a scale of its own; and from one
  /// to the other the file has a byte for each float, and no more than a quarter on top of that.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  /// The file and the offset in it, in one.
  using Place = std::uint64_t;
  static constexpr std::size_t kMaxPlaces = 8;  ///< What is there more often tells nothing.

  /// Neighbouring floats of a block, which are whole multiples of `scale` apart.
  struct Row {
    static constexpr std::size_t kFloats = 12;
    std::uint64_t element = 0;  ///< The first of them, from where the block begins.
    double scale = 0;
    std::vector<float> values;
    std::uint64_t key = 0;  ///< The first eight differences, a byte each.
  };
  struct Rows {
    Row first;
    Row inner;
  };

  static std::optional<Row> row_of(std::span<const float> values, std::uint64_t element);
  static std::optional<Row> first_row_in(std::span<const std::byte> bytes,
                                         std::size_t at,
                                         std::uint64_t element);
  static std::optional<Rows> rows_of(const BlockSample& block);
  void take(std::span<const std::byte> bytes, Place begin);
  [[nodiscard]] std::span<const Place> places_of(std::uint64_t key) const;
  /// The type of the file's bytes, if the row was made of those at `place`; none: it was not.
  [[nodiscard]] std::optional<std::string_view> type_at(const Row& row, Place place) const;

  std::size_t blocks_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::vector<const PlainFile*> files_;
  /// By the first two differences of a key, a byte each: most of a file fails here already.
  std::vector<std::uint8_t> begin_wanted_ = std::vector<std::uint8_t>(std::size_t{1} << 16U);
  std::vector<std::byte> differences_;  ///< Of what is being read.
  std::vector<bool> may_be_wanted_ = std::vector<bool>(std::size_t{1} << 20U);  ///< By hash.
  std::unordered_map<std::uint64_t, std::vector<Place>> places_;                ///< By key.
};

}  // namespace tidemark::weights
