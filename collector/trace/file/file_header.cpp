#include "collector/trace/file/file_header.hpp"

#include "collector/trace/coding/compression.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

constexpr std::size_t kCheckedBytes = 24;

Error other_version(const FileHeader& header, const std::string& name) {
  const bool is_newer = header.major > kMajorVersion;
  return {ErrorCode::kUnsupported,
          name + " has trace format " + std::to_string(header.major) +
              ".x, and this tidemark reads " + std::to_string(kMajorVersion) +
              ".x: " + (is_newer ? "use a newer tidemark" : "record it again")};
}

}  // namespace

ByteBuffer file_header_bytes(const FileHeader& header) {
  ByteBuffer bytes(kFileHeaderBytes);
  auto* at = bytes.data();
  std::ranges::copy(kFileMagic, at);
  store(at + 8, header.major);
  store(at + 10, header.minor);
  store(at + 12, header.time_unit_ns);
  store(at + kCheckedBytes, checksum_of(ByteView(bytes).first(kCheckedBytes)));
  return bytes;
}

Result<FileHeader> read_file_header(ByteView file, const std::string& name) {
  if (file.empty())
    return Error{ErrorCode::kNotATrace, name + " is empty, and no tidemark trace"};
  if (file.size() < kFileHeaderBytes || !std::ranges::equal(file.first(8), kFileMagic))
    return Error{ErrorCode::kNotATrace, name + " is not a tidemark trace"};
  const auto* at = file.data();
  if (load<std::uint64_t>(at + kCheckedBytes) != checksum_of(file.first(kCheckedBytes)))
    return Error{ErrorCode::kCorrupt, name + " is damaged in its first 32 bytes: record it again"};
  const FileHeader header{.major = load<std::uint16_t>(at + 8),
                          .minor = load<std::uint16_t>(at + 10),
                          .time_unit_ns = load<std::uint32_t>(at + 12)};
  if (header.major != kMajorVersion)
    return other_version(header, name);
  return header;
}

}  // namespace tidemark::trace
