#include "collector/trace/file/trace_index.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

std::optional<std::uint64_t> index_offset(ByteView file) {
  if (file.size() < kFileHeaderBytes + kTrailerBytes)
    return std::nullopt;
  const auto trailer = file.last(kTrailerBytes);
  if (!std::ranges::equal(trailer.subspan(8), kTrailerMagic))
    return std::nullopt;
  return load<std::uint64_t>(trailer.data());
}

IndexEntry read_entry(ByteReader& in) {
  IndexEntry entry{
      .offset = in.fixed<std::uint64_t>(), .type = in.fixed<std::uint8_t>(), .summary = {}};
  if (entry.is(BlockType::kEvents)) {
    ByteReader summary(in.bytes(kSummaryBytes));
    entry.summary = read_summary(summary);
  }
  return entry;
}

}  // namespace

void append_index_block(const std::vector<IndexEntry>& entries,
                        std::uint64_t offset,
                        ByteBuffer& out) {
  const Payload payload{.type = BlockType::kIndex};
  const auto start = begin_block(payload, out);
  ByteWriter writer(out);
  writer.fixed(std::uint64_t{entries.size()});
  for (const auto& entry : entries) {
    writer.fixed(entry.offset);
    writer.fixed(entry.type);
    if (entry.is(BlockType::kEvents))
      write_summary(entry.summary, writer);
  }
  writer.fixed(offset);
  writer.bytes(kTrailerMagic);
  end_block(payload, start, out);
}

std::optional<std::vector<IndexEntry>> read_index(ByteView file) {
  const auto offset = index_offset(file);
  const auto header = offset ? read_block_header(file, *offset) : std::nullopt;
  if (!header || !header->is(BlockType::kIndex) || header->end_offset() != file.size())
    return std::nullopt;
  const auto payload = read_payload(file, *header);
  if (!payload)
    return std::nullopt;
  ByteReader reader(*payload);
  std::vector<IndexEntry> entries;
  for (auto left = reader.fixed<std::uint64_t>(); left > 0 && !reader.failed(); --left)
    entries.push_back(read_entry(reader));
  reader.bytes(kTrailerBytes);
  if (reader.failed() || !reader.at_end())
    return std::nullopt;
  return entries;
}

}  // namespace tidemark::trace
