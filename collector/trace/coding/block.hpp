/// The frame around every block: see "Block header" in FORMAT.md.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tidemark::trace {

/// An intact header: its checksum matches and its sizes are within the format's limits. Says
/// nothing about the payload.
struct BlockHeader {
  std::uint64_t offset = 0;  ///< Where the header is in the file.
  std::uint8_t type = 0;     ///< A BlockType, or a number of a newer version.
  Packing packing = Packing::kStored;
  std::uint16_t extension_bytes = 0;
  std::uint32_t disk_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::uint64_t payload_checksum = 0;
  BlockSummary summary;  ///< Only of events blocks.

  [[nodiscard]] bool is(BlockType wanted) const {
    return type == static_cast<std::uint8_t>(wanted);
  }
  [[nodiscard]] std::uint64_t payload_offset() const {
    return offset + kBlockHeaderBytes + extension_bytes;
  }
  [[nodiscard]] std::uint64_t end_offset() const { return payload_offset() + disk_bytes; }
};

/// What a block's payload is before it is framed.
struct Payload {
  BlockType type = BlockType::kEvents;
  Packing packing = Packing::kStored;
  std::size_t raw_bytes = 0;              ///< Size of a packed payload before packing.
  const BlockSummary* summary = nullptr;  ///< Events blocks only.
};

/// Reserves a header in `out` and returns where it is; the payload is appended next.
std::size_t begin_block(const Payload& payload, ByteBuffer& out);
/// Fills in the header at `start`; everything after it is the payload.
void end_block(const Payload& payload, std::size_t start, ByteBuffer& out);

/// The header at `offset` of `file`, if it is intact. The payload may extend past the file's end.
std::optional<BlockHeader> read_block_header(ByteView file, std::uint64_t offset);
/// The first intact header at or after `offset`.
std::optional<BlockHeader> find_block_header(ByteView file, std::uint64_t offset);
/// The payload on disk, if it is complete and its checksum matches.
std::optional<ByteView> read_payload(ByteView file, const BlockHeader& header);

void write_summary(const BlockSummary& summary, ByteWriter& out);
BlockSummary read_summary(ByteReader& in);
/// True if the summary's numbers do not contradict each other.
[[nodiscard]] bool is_consistent(const BlockSummary& summary);

}  // namespace tidemark::trace
