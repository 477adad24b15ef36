/// Reads the events blocks of an open trace, one at a time.
#pragma once

#include "collector/trace/coding/block.hpp"
#include "collector/trace/coding/event_decoder.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::trace {

struct EventBlocks;

/// Result of decoding a block: see TraceReader::count.
struct DecodeOutcome {
  bool is_intact = false;
  std::uint64_t damaged_bytes = 0;  ///< Size of a damaged block, if known.
  std::uint32_t unknown_events = 0;
};

/// Not thread-safe, but several readers of one trace may run in different threads: none changes the
/// trace. Memory: the columns of one block.
class BlockReader {
 public:
  /// `blocks` stay borrowed.
  explicit BlockReader(const EventBlocks& blocks) : blocks_(blocks) {}
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  ~BlockReader() { leave(); }

  /// Goes to a block and verifies its checksums. The calls below refer to the block entered last,
  /// and return false if it is damaged.
  bool enter(std::size_t block);
  /// @return also false if there is no digest (version 1.0), or none of that use.
  bool digest(BlockDigest& digest, DigestUse use = DigestUse::kAny);
  /// Replaces `events`, which are empty on failure.
  bool decode(std::vector<Event>& events);
  /// See EventDecoder::decode_parts.
  bool decode_parts(const SeeEvents& see);
  /// Outcome of the last `decode` or `decode_parts`.
  [[nodiscard]] DecodeOutcome outcome() const { return outcome_; }
  /// Gives the file's pages of the block back to the system.
  void leave();
  /// The same, and frees the decoder's buffers until the next block is entered.
  void rest() {
    leave();
    decoder_ = EventDecoder();
  }

 private:
  [[nodiscard]] bool numbers_join() const;
  bool conclude(bool is_intact);

  const EventBlocks& blocks_;
  std::size_t block_ = 0;
  std::optional<BlockHeader> header_;  // The block entered; none when there is no intact one.
  std::optional<ByteView> payload_;
  EventDecoder decoder_;
  DecodeOutcome outcome_;
};

}  // namespace tidemark::trace
