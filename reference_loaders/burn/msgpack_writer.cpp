#include "reference_loaders/burn/msgpack_writer.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace tidemark::loaders::burn {

void MsgpackWriter::head(std::uint8_t type, std::uint64_t value, int bytes) {
  std::array<char, 9> record{};
  record[0] = static_cast<char>(type);
  for (int byte = 0; byte < bytes; ++byte) {
    record.at(static_cast<std::size_t>(bytes - byte)) =
        static_cast<char>(value >> static_cast<unsigned>(8 * byte));
  }
  sink_.write(record.data(), static_cast<std::size_t>(bytes) + 1);
}

void MsgpackWriter::map_head(std::uint64_t count) {
  if (count < 16) {
    head(static_cast<std::uint8_t>(0x80 | count), 0, 0);
  } else if (count <= 0xffff) {
    head(0xde, count, 2);
  } else {
    head(0xdf, count, 4);
  }
}

void MsgpackWriter::array_head(std::uint64_t count) {
  if (count < 16) {
    head(static_cast<std::uint8_t>(0x90 | count), 0, 0);
  } else if (count <= 0xffff) {
    head(0xdc, count, 2);
  } else {
    head(0xdd, count, 4);
  }
}

void MsgpackWriter::binary_head(std::uint64_t bytes) {
  if (bytes <= 0xff) {
    head(0xc4, bytes, 1);
  } else if (bytes <= 0xffff) {
    head(0xc5, bytes, 2);
  } else {
    head(0xc6, bytes, 4);
  }
}

void MsgpackWriter::string(std::string_view text) {
  if (text.size() < 32) {
    head(static_cast<std::uint8_t>(0xa0 | text.size()), 0, 0);
  } else if (text.size() <= 0xff) {
    head(0xd9, text.size(), 1);
  } else {
    head(0xda, text.size(), 2);
  }
  sink_.write(text.data(), text.size());
}

void MsgpackWriter::integer(std::uint64_t value) {
  if (value < 0x80) {
    head(static_cast<std::uint8_t>(value), 0, 0);
  } else if (value <= 0xff) {
    head(0xcc, value, 1);
  } else if (value <= 0xffff) {
    head(0xcd, value, 2);
  } else if (value <= 0xffffffff) {
    head(0xce, value, 4);
  } else {
    head(0xcf, value, 8);
  }
}

void FloatElementSink::write(const void* data, std::size_t size) {
  constexpr std::size_t kElementBytes = 5;
  std::vector<char> elements(size / sizeof(float) * kElementBytes);
  const auto* from = static_cast<const char*>(data);
  for (std::size_t at = 0; at < elements.size(); at += kElementBytes, from += sizeof(float)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    bits = __builtin_bswap32(bits);
    elements[at] = static_cast<char>(0xca);
    std::memcpy(&elements[at + 1], &bits, sizeof bits);
  }
  sink_.write(elements.data(), elements.size());
}

void IntElementSink::write(const void* data, std::size_t size) {
  MsgpackWriter writer(sink_);
  const auto* from = static_cast<const char*>(data);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + at, sizeof value);
    writer.integer(value);
  }
}

}  // namespace tidemark::loaders::burn
