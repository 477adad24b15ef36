/// Where the bytes of large blocks come from, byte by byte: from which place of which file.
///
/// It follows reads whose place in the file is known, mappings, and large copies of bytes that
/// these brought. Origins change no lane: they give blocks the names of the tensors they hold.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>

namespace tidemark {

/// A large heap block or a mapping that counts, and a place in it.
struct BlockPlace {
  trace::AllocationNumber allocation = trace::kNoAllocation;
  std::uint64_t begin = 0;  ///< Offset of the place in the block.
  std::uint64_t bytes_left =
      0;  ///< Bytes from the place on, up to the end of the block or of its piece.

  [[nodiscard]] bool is_known() const { return allocation != trace::kNoAllocation; }
  /// The place `bytes` further on, at most `bytes_left`.
  [[nodiscard]] BlockPlace further(std::uint64_t bytes) const {
    return {allocation, begin + bytes, bytes_left - bytes};
  }
};
BlockPlace place_at(const Host& host, std::uint64_t address);

/// The begin of a range, as far as it lies in one block; the whole range if it begins in none.
struct PlacedBytes {
  BlockPlace place;
  std::uint64_t bytes = 0;  ///< At least 1, unless the range is empty.
};
PlacedBytes part_at(const Host& host, std::uint64_t address, std::uint64_t bytes);
/// A range over more blocks is not believed: its rest counts as in no block.
constexpr std::size_t kMaxPartsOfRange = 4096;

class OriginBook {
 public:
  /// `sink` stays borrowed.
  explicit OriginBook(EventSink& sink) : sink_(sink) {}

  /// `bytes` of `file` from `offset` on came to `to`.
  void was_read(Host& host,
                const BlockPlace& to,
                trace::FileId file,
                std::uint64_t offset,
                std::uint64_t bytes);
  /// `bytes` came from `from`, an address, to `to`.
  void was_copied(Host& host, const BlockPlace& to, std::uint64_t from, std::uint64_t bytes);
  /// Bytes of unknown origin came to `to`.
  static void was_written(Host& host, const BlockPlace& to, std::uint64_t bytes);
  /// A mapping of a file came.
  void was_mapped(const Mapping& mapping);

  /// Puts the origins in freed blocks into the trace, if it is time. Takes at most a hundredth of
  /// the time.
  void look(Host& host);
  /// The host, or the recording, has ended: puts the origins in all blocks into the trace.
  void end(Host& host);

 private:
  /// Per session, since a reader of its trace has all of them in memory.
  static constexpr std::size_t kMaxTold = std::size_t{1} << 20;

  void tell(trace::AllocationNumber allocation, const FileExtents& content);
  void tell(const trace::Origin& origin);

  EventSink& sink_;
  std::size_t told_ = 0;
};

}  // namespace tidemark
