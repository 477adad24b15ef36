#include "collector/os/zip_content.hpp"

#include "collector/os/file_bytes.hpp"

#include <algorithm>
#include <limits>
#include <optional>

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
constexpr std::uint64_t kIn64 = 0xffffffff;  // The number stands elsewhere, in 64 bits.

struct Directory {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
};

/// Archives of more than 4 GiB have a second end, which a locator before the first one leads to.
std::optional<Directory> directory_in_64_bits(const FileDescriptor& file,
                                              std::string_view tail,
                                              std::size_t end) {
  if (end < kLocatorBytes ||
      tail.substr(end - kLocatorBytes, kLocatorMagic.size()) != kLocatorMagic) {
    return std::nullopt;
  }
  const std::string end64 = bytes_of(file, number_at(tail, end - kLocatorBytes + 8, 8), 56);
  if (!std::string_view(end64).starts_with(kEnd64Magic)) {
    return std::nullopt;
  }
  return Directory{.at = number_at(end64, 48, 8), .bytes = number_at(end64, 40, 8)};
}

std::optional<Directory> find_directory(const FileDescriptor& file, std::uint64_t size) {
  constexpr std::uint64_t kMaxCommentBytes = 65535;
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(size, kEndBytes + kMaxCommentBytes);
  const std::string tail = bytes_of(file, size - tail_bytes, static_cast<std::size_t>(tail_bytes));
  const std::size_t end = tail.rfind(kEndMagic);
  if (end == std::string::npos) {
    return std::nullopt;
  }
  const Directory directory{.at = number_at(tail, end + 16, 4),
                            .bytes = number_at(tail, end + 12, 4)};
  return directory.at == kIn64 || directory.bytes == kIn64 ? directory_in_64_bits(file, tail, end)
                                                           : directory;
}

/// What the names of the entries say, one after the other.
class Contents {
 public:
  void see(std::string_view name, bool is_packed, std::uint64_t bytes) {
    ++entries_;
    unpacked_ += std::min(bytes, std::numeric_limits<std::uint64_t>::max() / 2 - unpacked_);
    packed_ += is_packed ? std::min(bytes, unpacked_ - packed_) : 0;
    arrays_ += name.ends_with(".npy") ? 1U : 0U;
    has_pickle_ = has_pickle_ || name == "data.pkl" || name.ends_with("/data.pkl");
    has_layers_ = has_layers_ || name.ends_with(".weights.h5");
    has_code_ = has_code_ || name.starts_with("META-INF/") || name.ends_with(".class") ||
                name.ends_with(".py") || name.ends_with(".pyc") || name.ends_with(".dex");
  }

  /// @param is_whole the directory was read to its end.
  [[nodiscard]] FileContent take(bool is_whole) const {
    FileContent content{.word = word()};
    // Headers and lists are packed in some archives whose weights are not.
    content.is_compressed = packed_ > unpacked_ / 2;
    content.unpacked_bytes = content.is_compressed && is_whole ? unpacked_ : 0;
    return content;
  }

 private:
  [[nodiscard]] std::string_view word() const {
    if (has_pickle_) {
      return "torch";
    }
    if (has_layers_) {
      return "keras";
    }
    if (arrays_ != 0 && arrays_ == entries_) {
      return "npz";
    }
    return has_code_ ? "program" : "archive";
  }

  std::uint64_t entries_ = 0;
  std::uint64_t arrays_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t packed_ = 0;
  bool has_pickle_ = false;
  bool has_layers_ = false;
  bool has_code_ = false;
};

}  // namespace

FileContent look_into_zip(const FileDescriptor& file, std::uint64_t size) {
  constexpr std::uint64_t kMaxDirectoryBytes = std::uint64_t{1} << 20U;
  const auto found = find_directory(file, size);
  if (!found || found->at >= size) {
    return {.word = "archive"};
  }
  const std::string directory = bytes_of(
      file, found->at, static_cast<std::size_t>(std::min(found->bytes, kMaxDirectoryBytes)));
  const std::string_view bytes = directory;
  Contents contents;
  std::size_t at = 0;
  while (at + kEntryBytes <= bytes.size() && bytes.substr(at, kEntryMagic.size()) == kEntryMagic) {
    const auto name_bytes = static_cast<std::size_t>(number_at(bytes, at + 28, 2));
    const std::uint64_t unpacked = number_at(bytes, at + 24, 4);
    contents.see(bytes.substr(at + kEntryBytes, name_bytes), number_at(bytes, at + 10, 2) != 0,
                 unpacked == kIn64 ? 0 : unpacked);
    at += kEntryBytes + name_bytes +
          static_cast<std::size_t>(number_at(bytes, at + 30, 2) + number_at(bytes, at + 32, 2));
  }
  return contents.take(found->bytes <= kMaxDirectoryBytes);
}

}  // namespace tidemark
