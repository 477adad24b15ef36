#include "collector/os/content/tar_content.hpp"

#include "collector/os/file_bytes.hpp"
#include "collector/trace/types/content_words.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tidemark {
namespace {

// The places of POSIX's pax interchange format, "ustar Interchange Format", and of GNU's manual.
constexpr std::size_t kBlockBytes = 512;
constexpr std::size_t kNameBytes = 100;
constexpr std::size_t kSizeAt = 124;
constexpr std::size_t kSumAt = 148;
constexpr std::size_t kSumBytes = 8;
constexpr std::size_t kTypeAt = 156;
constexpr char kLongName = 'L';  // The next entry's name is this one's content (GNU),
constexpr char kRecords = 'x';   // or in lines of `LENGTH path=NAME` of it (POSIX).

std::string_view until_zero(std::string_view field) {
  return field.substr(0, field.find('\0'));
}

/// In octal digits; from 8 GiB on, a byte 0x80 followed by the number in binary.
std::uint64_t number_in(std::string_view field) {
  std::uint64_t value = 0;
  if (field.starts_with('\x80')) {
    for (const char byte : field.substr(std::max<std::size_t>(field.size(), 8) - 8)) {
      value = value << 8U | static_cast<std::uint8_t>(byte);
    }
    return value;
  }
  for (const char digit : field.substr(std::min(field.find_first_not_of(' '), field.size()))) {
    if (digit < '0' || digit > '7') {
      break;
    }
    value = value << 3U | static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

/// The name of the next entry, from an entry for a long name.
std::string long_name(std::string_view content, char type) {
  constexpr std::string_view kPath = " path=";
  if (type == kLongName) {
    return std::string(until_zero(content));
  }
  const std::size_t at = content.find(kPath);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view name = content.substr(at + kPath.size());
  return std::string(name.substr(0, name.find('\n')));
}

/// Walks from one entry's header to the next, for as long as it may read.
class Walk {
 public:
  using IsComputedWith = bool (*)(std::string_view, std::uint64_t);

  Walk(const FileDescriptor& file, std::uint64_t size, IsComputedWith is_computed_with)
      : file_(file), size_(size), is_computed_with_(is_computed_with) {}

  /// Bytes of entries that are weights or arrays.
  std::uint64_t bytes_computed_with() {
    constexpr std::size_t kMaxEntries = 2048;
    std::uint64_t found = 0;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < kMaxEntries && at < size_; ++i) {
      const std::string header = bytes_of(file_, at, kBlockBytes);
      if (!begins_tar(header)) {
        break;
      }
      const std::uint64_t bytes =
          std::min(number_in(std::string_view(header).substr(kSizeAt, 12)), size_ - at);
      found += see(header, at + kBlockBytes, bytes) ? bytes : 0;
      at += kBlockBytes + (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    }
    return found;
  }

 private:
  static constexpr std::size_t kHeadBytes = 4096;
  static constexpr std::size_t kMaxHeads = 128;  // Entries whose first bytes are read.
  static constexpr std::size_t kMaxNames = 128;  // And long names.
  static constexpr std::uint64_t kMinLookedInto = 64 << 10;

  /// True for an entry that is weights or arrays.
  bool see(std::string_view header, std::uint64_t content_at, std::uint64_t bytes) {
    const char type = header[kTypeAt];
    if (type == kLongName || type == kRecords) {
      name_ = names_++ < kMaxNames ? long_name(bytes_of(file_, content_at, head_bytes(bytes)), type)
                                   : std::string();
      return false;
    }
    const std::string given = std::exchange(name_, {});
    const bool is_file = type == '0' || type == '\0' || type == '7';
    return is_file &&
           (trace::has_weight_ending(given.empty() ? until_zero(header.substr(0, kNameBytes))
                                                   : std::string_view(given)) ||
            begins_so(content_at, bytes));
  }
  bool begins_so(std::uint64_t content_at, std::uint64_t bytes) {
    return bytes >= kMinLookedInto && heads_++ < kMaxHeads &&
           is_computed_with_(bytes_of(file_, content_at, head_bytes(bytes)), bytes);
  }
  static std::size_t head_bytes(std::uint64_t bytes) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kHeadBytes));
  }

  const FileDescriptor& file_;
  std::uint64_t size_;
  IsComputedWith is_computed_with_;
  std::string name_;  // The next entry's, if an entry before it gives it.
  std::size_t heads_ = 0;
  std::size_t names_ = 0;
};

}  // namespace

bool begins_tar(std::string_view head) {
  if (head.size() < kBlockBytes || head[0] == '\0') {
    return false;
  }
  std::uint64_t sum = kSumBytes * ' ';
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    const bool is_sum = i >= kSumAt && i < kSumAt + kSumBytes;
    sum += is_sum ? 0U : static_cast<std::uint8_t>(head[i]);
  }
  return number_in(head.substr(kSumAt, kSumBytes)) == sum;
}

FileContent look_into_tar(const FileDescriptor& file,
                          std::uint64_t size,
                          bool (*is_computed_with)(std::string_view head, std::uint64_t size)) {
  const std::uint64_t bytes = Walk(file, size, is_computed_with).bytes_computed_with();
  return {.word = bytes >= (size + 1) / 2 ? std::string_view("bundle") : trace::kArchiveContent};
}

}  // namespace tidemark
