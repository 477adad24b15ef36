#include "collector/trace/coding/block.hpp"

#include "collector/trace/coding/compression.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

constexpr std::size_t kCheckedBytes = 24;  ///< How much of the header its own checksum covers.

std::uint64_t header_checksum(const std::uint8_t* header, std::size_t extension_bytes) {
  std::array<std::uint8_t, kCheckedBytes + kSummaryBytes> checked{};
  std::copy_n(header, kCheckedBytes, checked.begin());
  std::copy_n(header + kBlockHeaderBytes, extension_bytes, checked.begin() + kCheckedBytes);
  return checksum_of(ByteView(checked).first(kCheckedBytes + extension_bytes));
}

void write_fixed_lanes(const LaneTotals& lanes, ByteWriter& out) {
  for (const auto bytes : lanes.bytes)
    out.fixed(bytes);
}

LaneTotals read_fixed_lanes(ByteReader& in) {
  LaneTotals lanes;
  for (auto& bytes : lanes.bytes)
    bytes = in.fixed<std::uint64_t>();
  return lanes;
}

bool is_extension_size(const BlockHeader& header) {
  return header.extension_bytes == (header.is(BlockType::kEvents) ? kSummaryBytes : 0) ||
         (header.type > static_cast<std::uint8_t>(BlockType::kIndex) &&
          header.extension_bytes <= kSummaryBytes);
}

}  // namespace

std::size_t begin_block(const Payload& payload, ByteBuffer& out) {
  const auto start = out.size();
  out.resize(start + kBlockHeaderBytes);
  if (payload.summary != nullptr) {
    ByteWriter writer(out);
    write_summary(*payload.summary, writer);
  }
  return start;
}

void end_block(const Payload& payload, std::size_t start, ByteBuffer& out) {
  const std::size_t extension_bytes = payload.summary != nullptr ? kSummaryBytes : 0;
  const auto stored = ByteView(out).subspan(start + kBlockHeaderBytes + extension_bytes);
  auto* header = &out[start];
  std::ranges::copy(kBlockMagic, header);
  header[4] = static_cast<std::uint8_t>(payload.type);
  header[5] = static_cast<std::uint8_t>(payload.packing);
  store(header + 6, static_cast<std::uint16_t>(extension_bytes));
  store(header + 8, static_cast<std::uint32_t>(stored.size()));
  const auto raw = payload.packing == Packing::kStored ? stored.size() : payload.raw_bytes;
  store(header + 12, static_cast<std::uint32_t>(raw));
  store(header + 16, checksum_of(stored));
  store(header + 24, header_checksum(header, extension_bytes));
}

std::optional<BlockHeader> read_block_header(ByteView file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < kBlockHeaderBytes)
    return std::nullopt;
  const auto* at = file.data() + offset;
  if (!std::equal(kBlockMagic.begin(), kBlockMagic.end(), at))
    return std::nullopt;
  BlockHeader header{.offset = offset,
                     .type = at[4],
                     .packing = static_cast<Packing>(at[5]),
                     .extension_bytes = load<std::uint16_t>(at + 6),
                     .disk_bytes = load<std::uint32_t>(at + 8),
                     .raw_bytes = load<std::uint32_t>(at + 12),
                     .payload_checksum = load<std::uint64_t>(at + 16),
                     .summary = {}};
  const auto room = file.size() - offset - kBlockHeaderBytes;
  if (!is_extension_size(header) || header.extension_bytes > room ||
      load<std::uint64_t>(at + kCheckedBytes) != header_checksum(at, header.extension_bytes))
    return std::nullopt;
  if (header.is(BlockType::kEvents)) {
    ByteReader extension(file.subspan(offset + kBlockHeaderBytes, kSummaryBytes));
    header.summary = read_summary(extension);
  }
  return header;
}

std::optional<BlockHeader> find_block_header(ByteView file, std::uint64_t offset) {
  while (offset < file.size()) {
    const auto rest = file.subspan(offset);
    const auto found =
        std::search(rest.begin(), rest.end(), kBlockMagic.begin(), kBlockMagic.end());
    if (found == rest.end())
      return std::nullopt;
    offset += static_cast<std::uint64_t>(found - rest.begin());
    if (const auto header = read_block_header(file, offset))
      return header;
    ++offset;
  }
  return std::nullopt;
}

std::optional<ByteView> read_payload(ByteView file, const BlockHeader& header) {
  if (header.end_offset() > file.size())
    return std::nullopt;
  const auto payload = file.subspan(header.payload_offset(), header.disk_bytes);
  if (checksum_of(payload) != header.payload_checksum)
    return std::nullopt;
  return payload;
}

void write_summary(const BlockSummary& summary, ByteWriter& out) {
  out.fixed(summary.first_event);
  out.fixed(summary.first_allocation);
  out.fixed(std::uint64_t{summary.event_count});
  out.fixed(summary.begin_ns);
  out.fixed(summary.end_ns);
  for (const auto* lanes : {&summary.at_begin, &summary.at_end, &summary.minimum, &summary.maximum})
    write_fixed_lanes(*lanes, out);
  out.fixed(summary.minimum_footprint);
  out.fixed(summary.maximum_footprint);
  out.fixed(std::uint64_t{summary.maximum_at_event});
  out.fixed(summary.maximum_at_ns);
}

BlockSummary read_summary(ByteReader& in) {
  BlockSummary summary;
  summary.first_event = in.fixed<std::uint64_t>();
  summary.first_allocation = in.fixed<std::uint64_t>();
  summary.event_count = static_cast<std::uint32_t>(in.fixed<std::uint64_t>());
  summary.begin_ns = in.fixed<std::uint64_t>();
  summary.end_ns = in.fixed<std::uint64_t>();
  for (auto* lanes : {&summary.at_begin, &summary.at_end, &summary.minimum, &summary.maximum})
    *lanes = read_fixed_lanes(in);
  summary.minimum_footprint = in.fixed<std::uint64_t>();
  summary.maximum_footprint = in.fixed<std::uint64_t>();
  summary.maximum_at_event = static_cast<std::uint32_t>(in.fixed<std::uint64_t>());
  summary.maximum_at_ns = in.fixed<std::uint64_t>();
  return summary;
}

bool is_consistent(const BlockSummary& summary) {
  const bool peak_is_inside = summary.maximum_at_event < summary.event_count ||
                              summary.maximum_at_event == BlockSummary::kBeforeFirst;
  return summary.event_count > 0 && summary.event_count <= kMaxBlockEvents && peak_is_inside &&
         summary.first_event + summary.event_count > summary.first_event &&
         summary.first_allocation <= summary.first_event && summary.begin_ns <= summary.end_ns &&
         summary.maximum_at_ns >= summary.begin_ns && summary.maximum_at_ns <= summary.end_ns;
}

}  // namespace tidemark::trace
