/// For bytes that are to be a trace: checksums that hold.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::trace {

/// Makes every checksum right, or no mutated byte would ever get behind one.
inline std::vector<std::uint8_t> with_right_checksums(std::span<const std::uint8_t> input) {
  std::vector<std::uint8_t> bytes(input.begin(), input.end());
  if (bytes.size() < kFileHeaderBytes)
    return bytes;
  std::ranges::copy(kFileMagic, bytes.begin());
  store(&bytes[8], kMajorVersion);
  store(&bytes[24], checksum_of(ByteView(bytes).first(24)));
  std::size_t at = kFileHeaderBytes;
  while (bytes.size() - at >= kBlockHeaderBytes) {
    std::ranges::copy(kBlockMagic, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t extension = load<std::uint16_t>(&bytes[at + 6]);
    const std::size_t payload = load<std::uint32_t>(&bytes[at + 8]);
    const auto room = bytes.size() - at - kBlockHeaderBytes;
    if (extension > room || payload > room - extension)
      break;
    const auto body = ByteView(bytes).subspan(at + kBlockHeaderBytes, extension + payload);
    store(&bytes[at + 16], checksum_of(body.subspan(extension)));
    std::vector<std::uint8_t> checked(&bytes[at], &bytes[at] + 24);
    checked.insert(checked.end(), body.begin(),
                   body.begin() + static_cast<std::ptrdiff_t>(extension));
    store(&bytes[at + 24], checksum_of(checked));
    at += kBlockHeaderBytes + extension + payload;
  }
  return bytes;
}

}  // namespace tidemark::trace
