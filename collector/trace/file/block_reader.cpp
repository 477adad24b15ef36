#include "collector/trace/file/block_reader.hpp"

#include "collector/trace/file/event_blocks.hpp"

#include <algorithm>

namespace tidemark::trace {
namespace {

bool same_summary(ByteView file, const BlockHeader& header, const BlockSummary& expected) {
  ByteBuffer bytes;
  ByteWriter out(bytes);
  write_summary(expected, out);
  return std::ranges::equal(file.subspan(header.offset + kBlockHeaderBytes, kSummaryBytes), bytes);
}

}  // namespace

bool BlockReader::enter(std::size_t block) {
  leave();
  block_ = block;
  outcome_ = {};
  if (block >= blocks_.summaries.size())
    return false;
  header_ = read_block_header(blocks_.file, blocks_.offsets[block]);
  if (header_ && header_->is(BlockType::kEvents) &&
      same_summary(blocks_.file, *header_, blocks_.summaries[block]))
    payload_ = read_payload(blocks_.file, *header_);
  return payload_.has_value();
}

void BlockReader::leave() {
  if (payload_)
    blocks_.map.forget(header_->offset, header_->end_offset() - header_->offset);
  payload_.reset();
  header_.reset();
}

bool BlockReader::digest(BlockDigest& digest, DigestUse use) {
  return payload_ &&
         decoder_.decode_digest(*payload_, blocks_.summaries[block_], blocks_.limits, use, digest);
}

bool BlockReader::decode(std::vector<Event>& events) {
  const bool intact =
      payload_ && decoder_.decode(*payload_, blocks_.summaries[block_], blocks_.header.time_unit_ns,
                                  blocks_.limits, events);
  if (conclude(intact))
    return true;
  events.clear();
  return false;
}

bool BlockReader::decode_parts(const SeeEvents& see) {
  return conclude(payload_ &&
                  decoder_.decode_parts(*payload_, blocks_.summaries[block_],
                                        blocks_.header.time_unit_ns, blocks_.limits, see));
}

bool BlockReader::conclude(bool is_intact) {
  outcome_ = {.is_intact = is_intact && numbers_join()};
  if (outcome_.is_intact)
    outcome_.unknown_events = decoder_.unknown_events();
  else if (header_)
    outcome_.damaged_bytes = header_->end_offset() - header_->offset;
  return outcome_.is_intact;
}

/// An allocation's number must not be given twice.
bool BlockReader::numbers_join() const {
  const auto& summaries = blocks_.summaries;
  return block_ + 1 == summaries.size() ||
         decoder_.next_allocation() <= summaries[block_ + 1].first_allocation;
}

}  // namespace tidemark::trace
