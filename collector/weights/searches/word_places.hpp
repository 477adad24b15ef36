/// Finds in files the four-byte words that some blocks hold.
#pragma once

#include "collector/weights/plain_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::weights {

/// File and offset in one number: within a file, places can be compared and added to.
class FilePlace {
 public:
  FilePlace() = default;
  FilePlace(std::size_t file, std::uint64_t offset)
      : value_(static_cast<std::uint64_t>(file) << kOffsetBits | offset) {}

  /// Index of the file, in the order of reading.
  [[nodiscard]] std::size_t file() const { return value_ >> kOffsetBits; }
  [[nodiscard]] std::uint64_t offset() const {
    return value_ & ((std::uint64_t{1} << kOffsetBits) - 1);
  }
  /// The place `distance` behind this one; a place beyond the file never matches.
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

/// Takes half a MiB, plus each place of a wanted word.
class WordPlaces {
 public:
  static constexpr std::size_t kWordBytes = 4;
  /// For all files together: bytes beyond it are not searched.
  static constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30U;

  static std::uint32_t word_in(std::span<const std::byte> bytes, std::size_t at);
  static std::vector<std::uint32_t> words_in(std::span<const std::byte> bytes);

  /// Whether at least eight different words of `each` bytes are among these.
  static bool tell_apart(std::span<const std::byte> bytes, std::size_t each = kWordBytes);

  /// Wants the words of these bytes; call before any file is read. Ignores zero, which is
  /// everywhere.
  void want_words(std::span<const std::byte> bytes);
  /// Wants pairs of words, from each word of these bytes on: for elements so short that a single
  /// word is all over the file.
  void want_pairs(std::span<const std::byte> bytes);
  void read(const PlainFile& file);
  /// Takes the words that begin in the first `own` of these bytes. Used instead of `read` to search
  /// a converted form of a file.
  void take(std::span<const std::byte> bytes, std::size_t own, FilePlace begin);

  /// Empty for a word that is nowhere, or at too many places to be telling.
  [[nodiscard]] std::span<const FilePlace> of_word(std::uint32_t word) const;
  /// The same for the pair of words that `bytes` begins with.
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
