#include "collector/os/content/zip_directory.hpp"

#include "collector/os/file_bytes.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace tidemark {
namespace {

// The sizes and places of APPNOTE.TXT, 4.3.12 to 4.3.16.
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEntryBytes = 46;
constexpr std::string_view kEndMagic = "PK\x05\x06";
constexpr std::string_view kLocatorMagic = "PK\x06\x07";
constexpr std::string_view kEnd64Magic = "PK\x06\x06";
constexpr std::string_view kEntryMagic = "PK\x01\x02";
constexpr std::size_t kLocalBytes = 30;
constexpr std::string_view kLocalMagic = "PK\x03\x04";
constexpr std::uint64_t kExtra64 = 1;        // Id of the field with numbers in 64 bits.
constexpr std::uint64_t kIn64 = 0xffffffff;  // The number stands elsewhere, in 64 bits.

constexpr std::size_t kEnd64Bytes = 56;

struct Directory {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  std::uint64_t begin = 0;  ///< Where the archive begins: its own numbers count from there.
};

bool has_entry_at(const FileDescriptor& file, std::uint64_t at) {
  return bytes_of(file, at, kEntryMagic.size()) == kEntryMagic;
}

/// The directory is right before its end. In an archive behind other bytes, such as the last of
/// several in one file, the stated position is too early.
/// @param end of the directory.
Directory behind_others(const FileDescriptor& file, Directory said, std::uint64_t end) {
  const std::uint64_t at = end - std::min(end, said.bytes);
  if (at > said.at && has_entry_at(file, at)) {
    said.begin = at - said.at;
    said.at = at;
  }
  return said;
}

std::uint64_t before(std::uint64_t at, std::uint64_t bytes) {
  return at - std::min(at, bytes);
}

/// Archives of more than 4 GiB have a second end, with a locator of it before the first one.
/// @param end the first one, in the file.
std::optional<Directory> find_in_64_bits(const FileDescriptor& file, std::uint64_t end) {
  const std::string locator = bytes_of(file, before(end, kLocatorBytes), kLocatorBytes);
  if (!locator.starts_with(kLocatorMagic)) {
    return std::nullopt;
  }
  for (const std::uint64_t at :
       {number_at(locator, 8, 8), before(end, kLocatorBytes + kEnd64Bytes)}) {
    const std::string end64 = bytes_of(file, at, kEnd64Bytes);
    if (end64.starts_with(kEnd64Magic)) {
      return Directory{.at = number_at(end64, 48, 8), .bytes = number_at(end64, 40, 8)};
    }
  }
  return std::nullopt;
}

std::optional<Directory> find_directory(const FileDescriptor& file, std::uint64_t size) {
  constexpr std::uint64_t kMaxCommentBytes = 65535;
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(size, kEndBytes + kMaxCommentBytes);
  const std::string tail = bytes_of(file, size - tail_bytes, static_cast<std::size_t>(tail_bytes));
  const std::size_t in_tail = tail.rfind(kEndMagic);
  if (in_tail == std::string::npos) {
    return std::nullopt;
  }
  const std::uint64_t end = size - tail_bytes + in_tail;
  const auto in_64_bits = find_in_64_bits(file, end);
  Directory directory{.at = number_at(tail, in_tail + 16, 4),
                      .bytes = number_at(tail, in_tail + 12, 4)};
  if (directory.at == kIn64 || directory.bytes == kIn64) {
    if (!in_64_bits) {
      return std::nullopt;
    }
    directory = *in_64_bits;
  }
  return behind_others(file, directory,
                       in_64_bits ? before(end, kLocatorBytes + kEnd64Bytes) : end);
}

/// Replaces those numbers that are stored in the 64-bit field, in this order.
/// @param extra the fields after the entry's name.
void take_in_64_bits(std::string_view extra, std::uint64_t packed_bytes, ZipEntry& entry) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const auto bytes = static_cast<std::size_t>(number_at(extra, at + 2, 2));
    if (number_at(extra, at, 2) == kExtra64) {
      std::string_view numbers = extra.substr(at + 4, bytes);
      for (std::uint64_t* number : {&entry.bytes, &packed_bytes, &entry.local_at}) {
        if (*number == kIn64) {
          *number = number_at(numbers, 0, 8);
          numbers.remove_prefix(std::min<std::size_t>(8, numbers.size()));
        }
      }
      return;
    }
    at += 4 + bytes;
  }
  entry.bytes = entry.bytes == kIn64 ? 0 : entry.bytes;
}

}  // namespace

ZipEnd visit_zip(const FileDescriptor& file,
                 std::uint64_t size,
                 std::size_t max_bytes,
                 const std::function<void(const ZipEntry&)>& see) {
  const auto found = find_directory(file, size);
  if (!found || found->at >= size) {
    return ZipEnd::kNone;
  }
  const std::string directory = bytes_of(
      file, found->at, static_cast<std::size_t>(std::min<std::uint64_t>(found->bytes, max_bytes)));
  const std::string_view bytes = directory;
  std::size_t at = 0;
  while (at + kEntryBytes <= bytes.size() && bytes.substr(at, kEntryMagic.size()) == kEntryMagic) {
    const auto name_bytes = static_cast<std::size_t>(number_at(bytes, at + 28, 2));
    const auto extra_bytes = static_cast<std::size_t>(number_at(bytes, at + 30, 2));
    ZipEntry entry{.name = bytes.substr(at + kEntryBytes, name_bytes),
                   .is_packed = number_at(bytes, at + 10, 2) != 0,
                   .bytes = number_at(bytes, at + 24, 4),
                   .local_at = number_at(bytes, at + 42, 4)};
    const std::size_t extra_at = std::min(at + kEntryBytes + name_bytes, bytes.size());
    take_in_64_bits(bytes.substr(extra_at, extra_bytes), number_at(bytes, at + 20, 4), entry);
    entry.local_at += found->begin;
    see(entry);
    at += kEntryBytes + name_bytes + extra_bytes +
          static_cast<std::size_t>(number_at(bytes, at + 32, 2));
  }
  return found->bytes <= max_bytes ? ZipEnd::kWhole : ZipEnd::kCut;
}

std::uint64_t zip_data_at(const FileDescriptor& file, std::uint64_t local_at) {
  const std::string header = bytes_of(file, local_at, kLocalBytes);
  if (header.size() < kLocalBytes || !header.starts_with(kLocalMagic)) {
    return 0;
  }
  return local_at + kLocalBytes + number_at(header, 26, 2) + number_at(header, 28, 2);
}

}  // namespace tidemark
