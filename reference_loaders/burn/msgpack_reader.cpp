#include "reference_loaders/burn/msgpack_reader.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace tidemark::loaders::burn {
namespace {

constexpr std::uint64_t kMaxStringBytes = 4096;

}  // namespace

template <typename T>
T MsgpackReader::big_endian() {
  std::make_unsigned_t<T> value = 0;
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    std::uint8_t next = 0;
    gzip_.read(&next, 1);
    value = static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(value) << 8U | next);
  }
  return static_cast<T>(value);
}

std::uint32_t MsgpackReader::checked(std::uint64_t length, std::uint64_t least_bytes) const {
  if (length * least_bytes > gzip_.most_left()) {
    refuse(fmt::format("a value of length {} is longer than the rest of the file can be", length));
  }
  return static_cast<std::uint32_t>(length);
}

std::uint32_t MsgpackReader::map_head() {
  const std::uint8_t head = next();
  if ((head & 0xf0U) == 0x80) {
    return head & 0x0fU;
  }
  if (head == 0xde) {
    return checked(big_endian<std::uint16_t>(), 2);
  }
  if (head == 0xdf) {
    return checked(big_endian<std::uint32_t>(), 2);
  }
  refuse(fmt::format("a map is expected here, not 0x{:02x}", head));
}

std::uint32_t MsgpackReader::array_head() {
  const std::uint8_t head = next();
  if ((head & 0xf0U) == 0x90) {
    return head & 0x0fU;
  }
  if (head == 0xdc) {
    return checked(big_endian<std::uint16_t>(), 1);
  }
  if (head == 0xdd) {
    return checked(big_endian<std::uint32_t>(), 1);
  }
  refuse(fmt::format("an array is expected here, not 0x{:02x}", head));
}

std::uint32_t MsgpackReader::binary_head() {
  switch (const std::uint8_t head = next()) {
    case 0xc4:
      return checked(big_endian<std::uint8_t>(), 1);
    case 0xc5:
      return checked(big_endian<std::uint16_t>(), 1);
    case 0xc6:
      return checked(big_endian<std::uint32_t>(), 1);
    default:
      refuse(fmt::format("bytes are expected here, not 0x{:02x}", head));
  }
}

std::string MsgpackReader::string() {
  const std::uint8_t head = next();
  std::uint64_t length = 0;
  if ((head & 0xe0U) == 0xa0) {
    length = head & 0x1fU;
  } else if (head == 0xd9) {
    length = big_endian<std::uint8_t>();
  } else if (head == 0xda) {
    length = big_endian<std::uint16_t>();
  } else {
    refuse(fmt::format("a string is expected here, not 0x{:02x}", head));
  }
  if (length > kMaxStringBytes) {
    refuse(fmt::format("a string of {} bytes", length));
  }
  std::string text(length, '\0');
  gzip_.read(text.data(), length);
  return text;
}

std::int64_t MsgpackReader::integer() {
  const std::uint8_t head = next();
  if (head < 0x80 || head >= 0xe0) {
    return static_cast<std::int8_t>(head);
  }
  switch (head) {
    case 0xcc:
      return big_endian<std::uint8_t>();
    case 0xcd:
      return big_endian<std::uint16_t>();
    case 0xce:
      return big_endian<std::uint32_t>();
    case 0xcf: {
      const auto value = big_endian<std::int64_t>();
      return value >= 0 ? value : (refuse("a number beyond int64"), 0);
    }
    case 0xd0:
      return big_endian<std::int8_t>();
    case 0xd1:
      return big_endian<std::int16_t>();
    case 0xd2:
      return big_endian<std::int32_t>();
    case 0xd3:
      return big_endian<std::int64_t>();
    default:
      refuse(fmt::format("an integer is expected here, not 0x{:02x}", head));
  }
}

std::uint8_t MsgpackReader::peek() {
  if (!has_peeked_) {
    peeked_ = next();
    has_peeked_ = true;
  }
  return peeked_;
}

void MsgpackReader::skip_scalar() {
  const std::uint8_t head = peek();
  if ((head & 0xe0U) == 0xa0 || head == 0xd9 || head == 0xda) {
    string();
  } else if (head == 0xc0 || head == 0xc2 || head == 0xc3) {
    next();  // nil, false, true
  } else if (head == kFloat32) {
    float32();
  } else if (head == 0xcb) {
    next();
    big_endian<std::uint64_t>();  // a float64
  } else {
    integer();
  }
}

void MsgpackReader::refuse(const std::string& what) const {
  gzip_.refuse(fmt::format("MessagePack, byte {} inflated: {}", gzip_.inflated_offset(), what));
}

}  // namespace tidemark::loaders::burn
