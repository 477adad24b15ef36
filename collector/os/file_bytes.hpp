/// Reads untrusted bytes of a file on disk.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <unistd.h>

namespace tidemark {

/// Bytes [at, at + count) of `file`, or as many as there are.
inline std::string bytes_of(const FileDescriptor& file, std::uint64_t at, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  for (ssize_t got = 1; got > 0 && filled < count;) {
    got = ::pread(file.number(), bytes.data() + filled, count - filled,
                  static_cast<off_t>(at + filled));
    filled += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  bytes.resize(filled);
  return bytes;
}

/// The little-endian number of `width` bytes at `at`; 0 if the bytes end before it.
inline std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || bytes.size() - at < width) {
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8U | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

}  // namespace tidemark
