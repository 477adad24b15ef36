/// Blocks of float32 made from a file's one-byte integers with a scale, or a scale and a zero
/// point: quantised weights that a loop of the program unpacked.
///
/// Neither the scale nor its place in the file need be known. Within one scale, neighbouring floats
/// differ by the scale times the difference of the file's bytes. So a row of such differences is
/// searched for.
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
  /// For all files together: some two seconds, if any block may be made from bytes.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30U;

  /// Adds a block to search for; call before any file is read.
  void want(const BlockSample& block);
  /// True if no block may be made from bytes, so no file need be read.
  [[nodiscard]] bool is_empty() const { return places_.empty(); }
  /// `file` stays borrowed.
  void read(const PlainFile& file);

  /// A match needs twelve floats further inside the block, and twelve after a possible object
  /// header, that each come from twelve neighbouring bytes of one file, each group with a scale of
  /// its own. Between the groups the file has a byte for each float, and at most a quarter more.
  [[nodiscard]] std::optional<trace::PackedMatch> find(const BlockSample& block) const;

 private:
  /// File and offset in one number.
  using Place = std::uint64_t;
  static constexpr std::size_t kMaxPlaces = 8;  ///< A key at more places is not telling.

  /// Neighbouring floats of a block whose differences are whole multiples of `scale`.
  struct Row {
    static constexpr std::size_t kFloats = 12;
    std::uint64_t element = 0;  ///< Index of the first float in the block.
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
  /// The type of the file's bytes if the row was made from those at `place`, else none.
  [[nodiscard]] std::optional<std::string_view> type_at(const Row& row, Place place) const;

  std::size_t blocks_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::vector<const PlainFile*> files_;
  /// By the first two differences of a key, a byte each: rules out most of a file.
  std::vector<std::uint8_t> begin_wanted_ = std::vector<std::uint8_t>(std::size_t{1} << 16U);
  std::vector<std::byte> differences_;  ///< In what is being read.
  std::vector<bool> may_be_wanted_ = std::vector<bool>(std::size_t{1} << 20U);  ///< By hash.
  std::unordered_map<std::uint64_t, std::vector<Place>> places_;                ///< By key.
};

}  // namespace tidemark::weights
