#include "collector/trace/file/tables.hpp"

#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/definitions_coding.hpp"
#include "collector/trace/coding/samples_coding.hpp"
#include "collector/trace/coding/session_json.hpp"

#include <optional>

namespace tidemark::trace {
namespace {

/// Lost definitions compress to about a byte each at best; 64 bytes of empty entries for each byte
/// of the file is ample, and bounded.
std::size_t most_missing_bytes(std::size_t file_bytes) {
  return 64 * file_bytes + (1 << 20);
}

class TablesReader {
 public:
  TablesReader(ByteView file, const BlockList& list)
      : file_(file),
        decoder_(tables_.definitions),
        missing_bytes_(most_missing_bytes(file.size())) {
    tables_.damage = list.damage;
  }

  void take(const IndexEntry& block) {
    if (block.is(BlockType::kEvents) || block.is(BlockType::kIndex))
      return;
    const auto header = read_block_header(file_, block.offset);
    if (!header || header->type != block.type)
      return count_damage(0);
    if (block.type > static_cast<std::uint8_t>(BlockType::kIndex)) {
      ++tables_.damage.blocks_unknown;
      return;
    }
    const auto raw = unpack(*header);
    if (!raw || !decode(*header, *raw))
      count_damage(header->end_offset() - header->offset);
  }

  Tables finish(const BlockList& list, EventOrdinal event_end) {
    if (!session_.session.ended)
      add(list.tail_damage);
    else if (session_.events > event_end)
      tables_.damage.events_damaged += session_.events - event_end;
    tables_.damage.torn = !session_.session.ended && !list.from_index;
    tables_.definitions.session = session_.session;
    tables_.placeholders = tables_.damage.blocks_damaged != 0;
    decoder_.make_safe(tables_.placeholders);
    make_samples_safe();
    return std::move(tables_);
  }

 private:
  void count_damage(std::uint64_t bytes) { add({.blocks_damaged = 1, .bytes_damaged = bytes}); }
  void add(const Loss& damage) {
    tables_.damage.blocks_damaged += damage.blocks_damaged;
    tables_.damage.bytes_damaged += damage.bytes_damaged;
  }

  /// The payload, unpacked into `raw_` where it was packed.
  std::optional<ByteView> unpack(const BlockHeader& header) {
    const auto payload = read_payload(file_, header);
    const auto most = header.is(BlockType::kSession) ? kMaxSessionBytes : kMaxTableBytes;
    if (!payload || header.raw_bytes > most)
      return std::nullopt;
    if (header.packing == Packing::kStored)
      return header.raw_bytes == payload->size() ? payload : std::nullopt;
    if (header.packing != Packing::kZstd || header.raw_bytes / kMaxPackRatio > payload->size())
      return std::nullopt;
    raw_.resize(header.raw_bytes);
    if (!decompressor_.unpack(*payload, raw_))
      return std::nullopt;
    return raw_;
  }

  bool decode(const BlockHeader& header, ByteView raw) {
    if (header.is(BlockType::kDefinitions)) {
      // Only damage can make ids skip.
      std::size_t nothing = 0;
      return decoder_.decode(raw, tables_.damage.blocks_damaged != 0 ? missing_bytes_ : nothing);
    }
    if (header.is(BlockType::kSamples))
      return decode_samples(raw, tables_.samples);
    auto session = session_from_json(raw);
    if (!session)
      return false;
    // On a full disk, the final session is in the first block, before older ones.
    if (session->session.ended || !session_.session.ended)
      session_ = *std::move(session);
    return true;
  }

  void make_samples_safe() {
    const auto known = tables_.definitions.processes.size();
    for (auto& sample : tables_.samples) {
      if (index(sample.process) >= known)
        sample.process = decoder_.placeholder_process();
    }
  }

  ByteView file_;
  Tables tables_;
  DefinitionsDecoder decoder_;
  Decompressor decompressor_;
  ByteBuffer raw_;
  SessionText session_;
  std::size_t missing_bytes_;
};

}  // namespace

Tables read_tables(ByteView file, const BlockList& list, EventOrdinal event_end) {
  TablesReader reader(file, list);
  for (const auto& block : list.blocks)
    reader.take(block);
  return reader.finish(list, event_end);
}

}  // namespace tidemark::trace
