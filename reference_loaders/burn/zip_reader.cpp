#include "reference_loaders/burn/zip_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/zip_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <zlib.h>

namespace tidemark::loaders::burn {
namespace {

using zip::field;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

std::string read_string(ByteSource& source, std::uint64_t offset, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  source.read_at(offset, text.data(), text.size());
  return text;
}

/// Offset of the record that ends the archive. It lies before a comment of unknown length.
std::uint64_t find_end(ByteSource& source, std::string* record) {
  const std::uint64_t tail_bytes =
      std::min(source.size(), zip::kEndOfDirectoryBytes + zip::kMaxCommentBytes);
  const std::uint64_t tail_offset = source.size() - tail_bytes;
  const std::string tail = read_string(source, tail_offset, tail_bytes);
  for (std::uint64_t left = zip::kEndOfDirectoryBytes; left <= tail_bytes; ++left) {
    const char* at = tail.data() + (tail_bytes - left);
    if (field<std::uint32_t>(at) == zip::kEndOfDirectory &&
        field<std::uint16_t>(at + 20) == left - zip::kEndOfDirectoryBytes) {
      record->assign(at, zip::kEndOfDirectoryBytes);
      return source.size() - left;
    }
  }
  throw BadInput(source.name(), source.size(),
                 "not a PyTorch zip file, or cut: the end of its directory is missing");
}

/// The same in 64 bits, when there is a locator before `end`: PyTorch always writes one.
bool find_end_64(ByteSource& source, std::uint64_t end, std::string* record) {
  if (end < zip::kLocator64Bytes) {
    return false;
  }
  const std::uint64_t locator_offset = end - zip::kLocator64Bytes;
  const std::string locator = read_string(source, locator_offset, zip::kLocator64Bytes);
  if (field<std::uint32_t>(locator.data()) != zip::kLocator64) {
    return false;
  }
  const auto offset = field<std::uint64_t>(locator.data() + 8);
  if (locator_offset < zip::kEndOfDirectory64Bytes ||
      offset > locator_offset - zip::kEndOfDirectory64Bytes) {
    throw BadInput(source.name(), locator_offset + 8,
                   fmt::format("the zip64 directory end cannot be at offset {}", offset));
  }
  *record = read_string(source, offset, zip::kEndOfDirectory64Bytes);
  if (field<std::uint32_t>(record->data()) != zip::kEndOfDirectory64) {
    throw BadInput(source.name(), offset, "no zip64 directory end where its locator points");
  }
  return true;
}

Directory find_directory(ByteSource& source) {
  std::string record;
  const std::uint64_t end = find_end(source, &record);
  Directory found;
  if (std::string record_64; find_end_64(source, end, &record_64)) {
    found = {.offset = field<std::uint64_t>(record_64.data() + 48),
             .bytes = field<std::uint64_t>(record_64.data() + 40),
             .entries = field<std::uint64_t>(record_64.data() + 32)};
  } else {
    found = {.offset = field<std::uint32_t>(record.data() + 16),
             .bytes = field<std::uint32_t>(record.data() + 12),
             .entries = field<std::uint16_t>(record.data() + 10)};
  }
  if (found.offset > end || found.bytes > end - found.offset ||
      found.entries > found.bytes / zip::kCentralHeaderBytes) {
    throw BadInput(source.name(), end,
                   fmt::format("a directory of {} entries in {} bytes at offset {} does not fit",
                               found.entries, found.bytes, found.offset));
  }
  return found;
}

/// Goes through the central directory, header by header.
class DirectoryReader {
 public:
  DirectoryReader(ByteSource& source, const Directory& directory)
      : source_(source),
        directory_(directory),
        bytes_(read_string(source, directory.offset, directory.bytes)) {}

  /// Reads the next header and moves behind it.
  std::pair<std::string, ZipEntry> next();

  [[nodiscard]] std::uint64_t offset() const { return directory_.offset + at_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[noreturn]] void refuse(const std::string& what) const {
    throw BadInput(source_.name(), offset(), what);
  }

 private:
  void require_stored(const char* header) const;
  void read_extra_64(const char* extra,
                     std::uint64_t bytes,
                     std::array<std::uint64_t, 3>& numbers) const;

  ByteSource& source_;
  const Directory& directory_;
  std::string bytes_;
  std::uint64_t at_ = 0;
};

std::pair<std::string, ZipEntry> DirectoryReader::next() {
  const char* header = bytes_.data() + at_;
  const std::uint64_t left = bytes_.size() - at_;
  if (left < zip::kCentralHeaderBytes || field<std::uint32_t>(header) != zip::kCentralHeader) {
    refuse("no entry of the zip directory where one must be");
  }
  const std::uint64_t name_bytes = field<std::uint16_t>(header + 28);
  const std::uint64_t extra_bytes = field<std::uint16_t>(header + 30);
  const std::uint64_t comment_bytes = field<std::uint16_t>(header + 32);
  const std::uint64_t bytes = zip::kCentralHeaderBytes + name_bytes + extra_bytes + comment_bytes;
  if (bytes > left) {
    refuse(fmt::format("a zip directory entry of {} bytes does not fit into the {} left", bytes,
                       left));
  }
  require_stored(header);
  const char* name = header + zip::kCentralHeaderBytes;
  // In the order in which the extra field of zip64 gives them.
  std::array<std::uint64_t, 3> numbers = {field<std::uint32_t>(header + 24),
                                          field<std::uint32_t>(header + 20),
                                          field<std::uint32_t>(header + 42)};
  read_extra_64(name + name_bytes, extra_bytes, numbers);
  const auto [size, stored_size, header_offset] = numbers;
  if (size != stored_size) {
    refuse(fmt::format("a stored entry has {} bytes, but takes {}", size, stored_size));
  }
  if (header_offset > directory_.offset || size > directory_.offset - header_offset) {
    refuse(fmt::format("an entry of {} bytes at offset {} runs into the zip directory", size,
                       header_offset));
  }
  at_ += bytes;
  return {
      std::string(name, name_bytes),
      {.header_offset = header_offset, .bytes = size, .crc = field<std::uint32_t>(header + 16)}};
}

void DirectoryReader::require_stored(const char* header) const {
  if ((field<std::uint16_t>(header + 8) & zip::kFlagEncrypted) != 0) {
    refuse("an encrypted entry; PyTorch writes none");
  }
  if (const auto method = field<std::uint16_t>(header + 10); method != zip::kStored) {
    refuse(fmt::format("an entry compressed with method {}; PyTorch stores all", method));
  }
}

void DirectoryReader::read_extra_64(const char* extra,
                                    std::uint64_t bytes,
                                    std::array<std::uint64_t, 3>& numbers) const {
  while (bytes >= 4) {
    const auto id = field<std::uint16_t>(extra);
    std::uint64_t left = field<std::uint16_t>(extra + 2);
    if (left > bytes - 4) {
      refuse("an extra field is longer than its header says");
    }
    const char* at = extra + 4;
    extra += 4 + left;
    bytes -= 4 + left;
    for (std::uint64_t& number : numbers) {
      if (id == zip::kExtra64 && number == zip::kIn64 && left >= 8) {
        number = field<std::uint64_t>(at);
        at += 8;
        left -= 8;
      }
    }
  }
}

}  // namespace

ZipIndex ZipIndex::read(ByteSource& source) {
  const Directory directory = find_directory(source);
  DirectoryReader reader(source, directory);
  ZipIndex index;
  index.directory_offset_ = directory.offset;
  index.entries_.reserve(directory.entries);
  while (!reader.at_end()) {
    const std::uint64_t offset = reader.offset();
    auto [name, entry] = reader.next();
    const std::string shown = printable(name);
    if (!index.entries_.emplace(std::move(name), entry).second) {
      throw BadInput(source.name(), offset, fmt::format("the entry '{}' is there twice", shown));
    }
  }
  if (index.entries_.size() != directory.entries) {
    reader.refuse(fmt::format("the zip directory has {} entries, but announces {}",
                              index.entries_.size(), directory.entries));
  }
  return index;
}

const ZipEntry* ZipIndex::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const std::string& ZipIndex::name_ending(const ByteSource& source, std::string_view end) const {
  const std::string* found = nullptr;
  for (const auto& [name, entry] : entries_) {
    if (name.ends_with(end)) {
      if (found != nullptr) {
        throw BadInput(source.name(), directory_offset_,
                       fmt::format("two entries end with '{}'", end));
      }
      found = &name;
    }
  }
  if (found == nullptr) {
    throw BadInput(source.name(), directory_offset_,
                   fmt::format("a zip file without '{}' was not written by PyTorch", end));
  }
  return *found;
}

std::uint64_t ZipIndex::payload_offset(ByteSource& source, const ZipEntry& entry) const {
  const std::uint64_t left = directory_offset_ - entry.header_offset;
  if (left < zip::kLocalHeaderBytes) {
    throw BadInput(source.name(), entry.header_offset, "no room for the header of a zip entry");
  }
  const std::string header = read_string(source, entry.header_offset, zip::kLocalHeaderBytes);
  if (field<std::uint32_t>(header.data()) != zip::kLocalHeader) {
    throw BadInput(source.name(), entry.header_offset, "no zip entry where the directory has one");
  }
  const std::uint64_t head = zip::kLocalHeaderBytes + field<std::uint16_t>(header.data() + 26) +
                             field<std::uint16_t>(header.data() + 28);
  if (head > left || entry.bytes > left - head) {
    throw BadInput(
        source.name(), entry.header_offset,
        fmt::format("an entry of {} bytes does not fit before the zip directory", entry.bytes));
  }
  return entry.header_offset + head;
}

std::string read_entry(ByteSource& source, const ZipIndex& index, const ZipEntry& entry) {
  const std::uint64_t offset = index.payload_offset(source, entry);
  std::string bytes = read_string(source, offset, entry.bytes);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (crc != entry.crc) {
    throw BadInput(
        source.name(), offset,
        fmt::format("the CRC-32 is {:08x}, but the zip directory says {:08x}", crc, entry.crc));
  }
  return bytes;
}

}  // namespace tidemark::loaders::burn
