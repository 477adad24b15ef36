/// Finds in weight files the bytes that were seen somewhere in a mapping. A runtime's arrays may be
/// anywhere in it, so their begins are unknown.
#pragma once

#include "collector/weights/block_sample.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/word_places.hpp"
#include "collector/weights/value_forms.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::weights {

/// Searches for the very bytes, or for them in a narrower type of float, or big-endian.
class PartSearch {
 public:
  /// Where a probe's first byte comes from.
  struct Place {
    std::size_t file = 0;  ///< In the order in which they were read.
    std::uint64_t offset = 0;
    FloatConversion conversion{};  ///< Without types: the bytes are the file's own.

    /// Bytes of memory per byte of the file.
    [[nodiscard]] std::uint64_t times() const {
      return conversion.type.empty() ? 1 : conversion.times();
    }
  };

  /// @param words stays borrowed; its owner reads files into it, and may want other words, too.
  /// @param may_be_big_endian the byte order of some file's numbers is unknown.
  PartSearch(WordPlaces& words, bool may_be_big_endian)
      : words_(words), may_be_big_endian_(may_be_big_endian) {}

  /// Call before any file is read. Ignores zeros, and probes with fewer than eight different words.
  void want(const Probe& probe);
  [[nodiscard]] bool is_empty() const { return is_empty_; }
  /// Call after each file that was read into the words, in that order. `file` stays borrowed.
  void note_read(const PlainFile& file) { files_.push_back(&file); }
  /// The places with all of the probe's bytes, as they are or converted: several if a file has them
  /// more than once, but at most eight.
  [[nodiscard]] std::vector<Place> find(const Probe& probe) const;

 private:
  /// A probe as it may be in a file.
  struct View {
    std::vector<std::byte> bytes;
    FloatConversion conversion{};
  };
  [[nodiscard]] std::vector<View> views_of(const Probe& probe) const;
  [[nodiscard]] std::vector<Place> places_of(const View& view, std::size_t begin) const;

  WordPlaces& words_;
  bool may_be_big_endian_ = false;
  bool is_empty_ = true;
  std::vector<const PlainFile*> files_;
};

}  // namespace tidemark::weights
