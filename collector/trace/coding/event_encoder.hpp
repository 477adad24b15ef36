/// Events to the columns of one block.
#pragma once

#include "collector/trace/coding/block_digest.hpp"
#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/prediction.hpp"
#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tidemark::trace {

/// `add` writes straight into the columns; `finish` compresses them. See "Events block" in
/// FORMAT.md.
class EventEncoder {
 public:
  EventEncoder();

  /// Begins a block whose first event stands at `begin_units`. Times here are in kTimeUnitNs.
  void begin_block(std::uint64_t begin_units, AllocationNumber first_allocation);
  /// Times never decrease; at most kMaxBlockEvents a block.
  /// @param at_units the event's time; its own is not looked at.
  void add(const Event& event, std::uint64_t at_units);
  /// An allocation and its release, the event after it, of the same thread.
  void add_fleeting(const Event& allocation, std::uint64_t at_units, std::uint64_t freed_units);
  /// Appends the payload of the block to `out`.
  void finish(Compressor& compressor, ByteBuffer& out);

 private:
  struct ColumnBuffer {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::uint8_t* end = nullptr;
    void put(std::uint64_t value) { end = write_varint(end, value); }
    [[nodiscard]] ByteView view() const { return {bytes.get(), end}; }
  };

  [[nodiscard]] ColumnBuffer& column(Column which) {
    return columns_[static_cast<std::size_t>(which)];
  }
  void put_time(std::uint64_t at_units);
  void put_tag(EventKind kind, Lane lane, bool is_explicit);
  void put_tag(const Event& event, bool is_explicit) {
    put_tag(event.kind, event.lane, is_explicit);
  }
  void put_thread(const Event& event);
  void end_thread_run();
  void put_stack(StackId stack);
  void put_ref(AllocationNumber allocation);
  void put_others(const Event& event);
  void put_allocate(const Event& event);
  void add_allocate(const Event& event);
  void add_release(const Event& event);
  void add_reallocate(const Event& event);
  void add_part(const Event& event, std::int64_t gone);
  void add_touch(const Event& event);

  std::array<ColumnBuffer, kColumnCount> columns_;
  SizePrediction sizes_;
  StackPrediction stacks_;
  LocalBlocks locals_;
  DigestBuilder digest_{kMaxBlockEvents};
  ByteBuffer digest_column_;
  std::uint64_t time_units_ = 0;
  std::uint32_t run_thread_ = 0;
  std::uint32_t run_length_ = 0;
};

}  // namespace tidemark::trace
