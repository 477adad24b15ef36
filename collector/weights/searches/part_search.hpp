/// Where in weight files the bytes are that were seen somewhere within a mapping: a runtime's
/// arrays lie anywhere in one, so nothing is known of where they begin.
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

/// Looks for the very bytes, or for what they are in a narrower type of float, or big-endian.
class PartSearch {
 public:
  /// Where a probe's first byte is from.
  struct Place {
    std::size_t file = 0;  ///< In the order in which they were read.
    std::uint64_t offset = 0;
    FloatConversion conversion{};  ///< Of no types: the bytes are the file's.

    /// Bytes of memory for one byte of the file.
    [[nodiscard]] std::uint64_t times() const {
      return conversion.type.empty() ? 1 : conversion.times();
    }
  };

  /// @param words stays borrowed; who reads the files into it may look for other words, too.
  /// @param may_be_big_endian of some file nobody says how its numbers lie in it.
  PartSearch(WordPlaces& words, bool may_be_big_endian)
      : words_(words), may_be_big_endian_(may_be_big_endian) {}

  /// Before any file is read. Zeros, and what has less than eight different words, tell nothing.
  void want(const Probe& probe);
  [[nodiscard]] bool is_empty() const { return is_empty_; }
  /// Was read into the words, after those before. `file` stays borrowed.
  void note_read(const PlainFile& file) { files_.push_back(&file); }
  /// Where all of its bytes are, as they are or converted: at several places in a file that has
  /// something twice, but at no more than eight.
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
