#include "reference_loaders/burn/gzip_writer.hpp"

#include <algorithm>
#include <array>

#include <zlib.h>

namespace tidemark::loaders::burn {
namespace {

constexpr std::size_t kMaxStoredBlockBytes = 0xffff;
constexpr std::uint64_t kBlockHeadBytes = 5;
constexpr std::uint64_t kFrameBytes = 18;

/// Magic, deflate, no flags, no time, no hint, unknown system.
constexpr std::array<std::uint8_t, 10> kHead = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};

}  // namespace

StoredGzipWriter::StoredGzipWriter(Sink& sink) : sink_(sink) {
  block_.reserve(kMaxStoredBlockBytes);
  sink_.write(kHead.data(), kHead.size());
}

void StoredGzipWriter::write(const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  bytes_ += size;
  while (size > 0) {
    if (block_.size() == kMaxStoredBlockBytes) {
      write_block(false);
    }
    const std::size_t count = std::min(size, kMaxStoredBlockBytes - block_.size());
    block_.insert(block_.end(), at, at + count);
    at += count;
    size -= count;
  }
}

void StoredGzipWriter::finish() {
  write_block(true);
  const std::array<std::uint32_t, 2> tail = {crc_, static_cast<std::uint32_t>(bytes_)};
  sink_.write(tail.data(), sizeof tail);
}

void StoredGzipWriter::write_block(bool is_last) {
  const auto size = static_cast<std::uint16_t>(block_.size());
  const auto check = static_cast<std::uint16_t>(~size);
  const std::uint8_t head = is_last ? 1 : 0;
  sink_.write(&head, sizeof head);
  sink_.write(&size, sizeof size);
  sink_.write(&check, sizeof check);
  sink_.write(block_.data(), block_.size());
  crc_ = static_cast<std::uint32_t>(
      crc32_z(crc_, reinterpret_cast<const Bytef*>(block_.data()), block_.size()));
  block_.clear();
}

std::uint64_t StoredGzipWriter::file_size(std::uint64_t bytes) {
  const std::uint64_t blocks =
      std::max<std::uint64_t>(1, (bytes + kMaxStoredBlockBytes - 1) / kMaxStoredBlockBytes);
  return kFrameBytes + bytes + blocks * kBlockHeadBytes;
}

}  // namespace tidemark::loaders::burn
