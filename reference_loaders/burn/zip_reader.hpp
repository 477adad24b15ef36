#pragma once

#include "reference_loaders/burn/byte_source.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tidemark::loaders::burn {

struct ZipEntry {
  std::uint64_t header_offset = 0;  ///< Where the local header is.
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

/// The central directory of a zip archive whose entries are stored, not compressed, as PyTorch
/// writes them. The local headers hold no sizes there, so this is the only way in.
class ZipIndex {
 public:
  /// Reads the directory, never an entry. What it allocates is at most a few times the directory.
  /// @throws BadInput with the offset of the record that is wrong
  static ZipIndex read(ByteSource& source);

  /// @return nothing when there is no entry of this name; borrowed from the index.
  [[nodiscard]] const ZipEntry* find(const std::string& name) const;

  /// The one entry whose name ends so. @throws BadInput when there is none, or several
  [[nodiscard]] const std::string& name_ending(const ByteSource& source,
                                               std::string_view end) const;

  /// Where the bytes of `entry` begin in the file; they are all within it.
  /// @throws BadInput
  [[nodiscard]] std::uint64_t payload_offset(ByteSource& source, const ZipEntry& entry) const;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::unordered_map<std::string, ZipEntry> entries_;
  std::uint64_t directory_offset_ = 0;
};

/// All bytes of an entry, after a check of their CRC-32. @throws BadInput
std::string read_entry(ByteSource& source, const ZipIndex& index, const ZipEntry& entry);

}  // namespace tidemark::loaders::burn
