#include "collector/trace/file/block_list.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

/// Accepts events blocks that can follow those before them.
class Sequence {
 public:
  /// @param gap_bytes Damaged bytes since the block before: only they can have held missing events.
  [[nodiscard]] bool accepts(const BlockSummary& next, std::uint64_t gap_bytes) const {
    const auto end = last_.first_event + last_.event_count;
    if (!is_consistent(next) || next.first_event < end || next.begin_ns < last_.end_ns ||
        next.first_allocation < last_.first_allocation)
      return false;
    const auto missing = next.first_event - end;
    const auto allocations = next.first_allocation - last_.first_allocation;
    return missing <= most_events(gap_bytes) && allocations <= last_.event_count + missing &&
           (missing != 0 || next.at_begin == last_.at_end);
  }
  /// @return How many events are missing before `next`.
  std::uint64_t take(const BlockSummary& next) {
    const auto missing = next.first_event - (last_.first_event + last_.event_count);
    last_ = next;
    return missing;
  }

 private:
  static std::uint64_t most_events(std::uint64_t bytes) {
    constexpr auto kMinBlockBytes = kBlockHeaderBytes + kSummaryBytes;
    return bytes == 0 ? 0 : (bytes / kMinBlockBytes + 1) * kMaxBlockEvents;
  }

  BlockSummary last_;
};

/// Walks from header to header.
class Walk {
 public:
  explicit Walk(ByteView file) : file_(file) {}

  BlockList run() {
    std::uint64_t offset = kFileHeaderBytes;
    while (offset < file_.size()) {
      auto header = read_block_header(file_, offset);
      if (!header || header->end_offset() > file_.size()) {
        header = find_whole_block(offset + 1);
        if (!header) {
          end_at(offset);
          break;
        }
        skip(header->offset - offset);
      }
      take(*header);
      offset = header->end_offset();
    }
    return std::move(list_);
  }

 private:
  [[nodiscard]] std::optional<BlockHeader> find_whole_block(std::uint64_t offset) const {
    auto header = find_block_header(file_, offset);
    while (header && header->end_offset() > file_.size())
      header = find_block_header(file_, header->offset + 1);
    return header;
  }

  void skip(std::uint64_t bytes) {
    ++list_.damage.blocks_damaged;
    list_.damage.bytes_damaged += bytes;
    gap_bytes_ += bytes;
  }

  void take(const BlockHeader& header) {
    if (header.is(BlockType::kEvents)) {
      if (!sequence_.accepts(header.summary, gap_bytes_)) {
        list_.damage.events_damaged += header.summary.event_count;
        return skip(header.end_offset() - header.offset);
      }
      list_.damage.events_damaged += sequence_.take(header.summary);
      gap_bytes_ = 0;
    }
    list_.blocks.push_back({header.offset, header.type, header.summary});
  }

  /// Nothing intact follows. The begun block that a killed writer leaves is no damage.
  void end_at(std::uint64_t offset) {
    const auto rest = file_.subspan(offset);
    const auto magic = std::min(rest.size(), kBlockMagic.size());
    const bool begins_a_block = std::equal(
        rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(magic), kBlockMagic.begin());
    const bool header_is_cut = rest.size() < kBlockHeaderBytes + kSummaryBytes;
    if (read_block_header(file_, offset) || (begins_a_block && header_is_cut))
      return;
    list_.tail_damage.blocks_damaged = 1;
    list_.tail_damage.bytes_damaged = rest.size();
  }

  ByteView file_;
  BlockList list_;
  Sequence sequence_;
  std::uint64_t gap_bytes_ = 0;
};

/// True for a file as a writer makes it: blocks follow each other without gaps.
bool is_whole(const std::vector<IndexEntry>& blocks) {
  Sequence sequence;
  std::uint64_t least_offset = kFileHeaderBytes;
  for (const auto& block : blocks) {
    if (block.offset < least_offset)
      return false;
    least_offset = block.offset + kBlockHeaderBytes;
    if (!block.is(BlockType::kEvents))
      continue;
    if (!sequence.accepts(block.summary, 0))
      return false;
    sequence.take(block.summary);
  }
  return true;
}

}  // namespace

BlockList list_blocks(ByteView file) {
  auto index = read_index(file);
  if (index && is_whole(*index))
    return {.blocks = std::move(*index), .damage = {}, .tail_damage = {}, .from_index = true};
  return Walk(file).run();
}

}  // namespace tidemark::trace
