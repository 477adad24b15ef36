/// Decodes the columns of one block to events.
#pragma once

#include "collector/trace/coding/block_digest.hpp"
#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/prediction.hpp"
#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tidemark::trace {

/// Sizes of the id tables: the ids that a decoded event may name.
struct IdLimits {
  std::uint32_t names = 0;
  std::uint32_t processes = 0;
  std::uint32_t threads = 0;
  std::uint32_t stacks = 0;
  std::uint32_t files = 0;
  /// The last process, thread and file are placeholders, and stand for every id that has no
  /// definition.
  bool placeholders = false;
};

/// Receives events part by part, in order. They are borrowed until it returns.
using SeeEvents = std::function<void(std::span<const Event>)>;

/// The allocations of the block being decoded, and the bytes left of each.
class LocalBlocks : public BlockNumbers {
 public:
  /// @param most How many allocations the block can hold.
  void reset(AllocationNumber first_allocation, std::size_t most) {
    BlockNumbers::reset(first_allocation);
    if (remaining_.size() < most)
      remaining_.resize(most);
  }
  void allocate(std::uint64_t size) { remaining_[add()] = size; }
  /// `allocation` must be one of the block's.
  [[nodiscard]] std::uint64_t& remaining(AllocationNumber allocation) {
    return remaining_[index_of(allocation)];
  }

 private:
  std::vector<std::uint64_t> remaining_;
};

/// Reuses its buffers from block to block. Survives any payload.
class EventDecoder {
 public:
  /// Decodes a payload whose block has `summary` (its counts already proved to be within limits)
  /// into `events` (replaced). Ids are made safe as FORMAT.md says; kinds of a newer version become
  /// kLost events of size 0, so that positions in the block hold.
  /// @return false when the payload breaks a rule; `events` is then empty.
  bool decode(ByteView payload,
              const BlockSummary& summary,
              std::uint32_t time_unit_ns,
              const IdLimits& limits,
              std::vector<Event>& events);
  /// The same in parts that fit the processor's cache, for callers that need each event once.
  /// @return false if the payload is malformed: discard what `see` was given until then.
  bool decode_parts(ByteView payload,
                    const BlockSummary& summary,
                    std::uint32_t time_unit_ns,
                    const IdLimits& limits,
                    const SeeEvents& see);
  /// Decodes the digest alone.
  /// @return false if it is missing (version 1.0), malformed, or not of that `use`.
  bool decode_digest(ByteView payload,
                     const BlockSummary& summary,
                     const IdLimits& limits,
                     DigestUse use,
                     BlockDigest& digest);
  /// Events of unknown kind in the block decoded last.
  [[nodiscard]] std::uint32_t unknown_events() const { return unknown_events_; }
  /// The number after the last allocation of the block decoded last.
  [[nodiscard]] AllocationNumber next_allocation() const { return locals_.next(); }

 private:
  struct Loop;
  struct ColumnBuffer {
    ByteBuffer bytes;
    std::size_t size = 0;
    [[nodiscard]] const std::uint8_t* begin() const { return bytes.data(); }
    [[nodiscard]] const std::uint8_t* end() const { return bytes.data() + size; }
  };

  /// False for a payload that cannot be unpacked.
  bool begin(ByteView payload, const BlockSummary& summary);
  Loop loop(const BlockSummary& summary, std::uint32_t time_unit_ns, const IdLimits& limits);
  bool finish(const Loop& loop, const BlockSummary& summary);
  bool unpack_columns(ByteView payload, std::uint32_t event_count);
  bool unpack_column(ByteView packed,
                     std::size_t size,
                     std::uint32_t event_count,
                     ColumnBuffer& column);

  std::array<ColumnBuffer, kColumnCount> columns_;
  ByteBuffer digest_column_;
  std::vector<Event> part_;
  Decompressor decompressor_;
  SizePrediction sizes_;
  StackPrediction stacks_;
  LocalBlocks locals_;
  std::uint32_t unknown_events_ = 0;
};

}  // namespace tidemark::trace
