/// Where in files the words of four bytes are that some blocks hold.
#pragma once

#include "collector/weights/plain_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::weights {

/// The file and the offset in it, in one: places are compared and counted on from, within a file.
class FilePlace {
 public:
  FilePlace() = default;
  FilePlace(std::size_t file, std::uint64_t offset)
      : value_(static_cast<std::uint64_t>(file) << kOffsetBits | offset) {}

  /// Of the files, in the order in which they were read.
  [[nodiscard]] std::size_t file() const { return value_ >> kOffsetBits; }
  [[nodiscard]] std::uint64_t offset() const {
    return value_ & ((std::uint64_t{1} << kOffsetBits) - 1);
  }
  /// As far behind it; of another file there never is such a word.
  [[nodiscard]] FilePlace behind(std::uint64_t distance) const {
    FilePlace place;
    place.value_ = value_ + distance;
    return place;
  }
  /// Modulo 2^64.
  [[nodiscard]] std::uint64_t distance_from(FilePlace other) const { return value_ - other.value_; }
  friend auto operator<=>(const FilePlace&, const FilePlace&) = default;

 private:
  static constexpr unsigned kOffsetBits = 48;
  std::uint64_t value_ = 0;
};

/// Holds half a MiB, and each place of a word that is wanted.
class WordPlaces {
 public:
  static constexpr std::size_t kWordBytes = 4;
  /// Of all files together: what lies behind it is not looked through.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30U;

  static std::uint32_t word_in(std::span<const std::byte> bytes, std::size_t at);
  static std::vector<std::uint32_t> words_in(std::span<const std::byte> bytes);

  /// Eight different ones at least, of `each` bytes.
  static bool tell_apart(std::span<const std::byte> bytes, std::size_t each = kWordBytes);

  /// Those of these bytes, before any file is read. A zero is everywhere.
  void want_words(std::span<const std::byte> bytes);
  /// Two words in a row, from each word of these bytes on: where elements are so short that one
  /// word is all over the file.
  void want_pairs(std::span<const std::byte> bytes);
  void read(const PlainFile& file);
  /// Of what begins in the first `own` of these bytes: instead of `read`, where a file is looked
  /// for in another form.
  void take(std::span<const std::byte> bytes, std::size_t own, FilePlace begin);

  /// Empty for a word that is nowhere, or in so many places that it tells nothing.
  [[nodiscard]] std::span<const FilePlace> of_word(std::uint32_t word) const;
  /// The same of the two words that `bytes` begin with.
  [[nodiscard]] std::span<const FilePlace> of_pair(std::span<const std::byte> bytes) const;
  [[nodiscard]] bool is_at(std::uint32_t word, FilePlace place) const;

 private:
  static constexpr std::size_t kMaxPlaces = 8;

  std::size_t files_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::vector<bool> may_be_wanted_ = std::vector<bool>(std::size_t{1} << 22U);  ///< By hash.
  std::unordered_map<std::uint32_t, std::vector<FilePlace>> words_;
  std::unordered_map<std::uint64_t, std::vector<FilePlace>> pairs_;
};

}  // namespace tidemark::weights
