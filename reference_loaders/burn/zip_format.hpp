#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

/// The records of a zip archive that a PyTorch file is made of (PKWARE APPNOTE 6.3, sections 4.3
/// and 4.5), without the four bytes of signature where it says so. Little-endian, packed.
namespace tidemark::loaders::burn::zip {

static_assert(std::endian::native == std::endian::little, "fields are copied as they lie");

inline constexpr std::uint32_t kLocalHeader = 0x04034b50;
inline constexpr std::uint32_t kDataDescriptor = 0x08074b50;
inline constexpr std::uint32_t kCentralHeader = 0x02014b50;
inline constexpr std::uint32_t kEndOfDirectory = 0x06054b50;
inline constexpr std::uint32_t kEndOfDirectory64 = 0x06064b50;
inline constexpr std::uint32_t kLocator64 = 0x07064b50;

inline constexpr std::uint64_t kLocalHeaderBytes = 30;
inline constexpr std::uint64_t kCentralHeaderBytes = 46;
inline constexpr std::uint64_t kEndOfDirectoryBytes = 22;
inline constexpr std::uint64_t kEndOfDirectory64Bytes = 56;
inline constexpr std::uint64_t kLocator64Bytes = 20;
inline constexpr std::uint64_t kMaxCommentBytes = 0xffff;

/// Sizes follow the payload in a data descriptor, and names are UTF-8.
inline constexpr std::uint16_t kFlags = 0x0808;
inline constexpr std::uint16_t kFlagEncrypted = 1;
inline constexpr std::uint16_t kStored = 0;

/// In a field of 32 bits: the number is in the extra field of zip64.
inline constexpr std::uint32_t kIn64 = 0xffffffff;
inline constexpr std::uint16_t kExtra64 = 1;

/// PyTorch pads the local header with an extra field, so that payloads begin at multiples of 64.
inline constexpr std::uint16_t kExtraPadding = 0x4246;  // "FB"
inline constexpr std::uint64_t kAlignment = 64;

template <typename T>
T field(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace tidemark::loaders::burn::zip
