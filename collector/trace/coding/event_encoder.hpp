/// Encodes events into the columns of one block.
#pragma once

#include "collector/trace/coding/block_digest.hpp"
#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/coding/compression.hpp"
#include "collector/trace/coding/prediction.hpp"
#include "collector/trace/types/event.hpp"
#include "collector/trace/types/heap_event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tidemark::trace {

/// `add` writes straight into the columns; `finish` compresses them. See "Events block" in
/// FORMAT.md.
class EventEncoder {
 public:
  EventEncoder();

  /// Begins a block whose first event is at `begin_units`. Times here are in units of kTimeUnitNs.
  void begin_block(std::uint64_t begin_units, AllocationNumber first_allocation);
  /// Times never decrease; at most kMaxBlockEvents a block.
  /// @param at_units the event's time; `at_ns` is ignored.
  void add(const Event& event, std::uint64_t at_units);
  /// A run of at least one event, of one thread.
  /// @param at_units what earlier times are raised to.
  /// @return the last one's time.
  std::uint64_t add_heap(ThreadId thread,
                         std::span<const HeapEvent> events,
                         std::uint64_t at_units);
  /// Number of the next allocation.
  [[nodiscard]] AllocationNumber next_allocation() const { return numbers_.next(); }
  /// Appends the payload of the block to `out`.
  void finish(Compressor& compressor, ByteBuffer& out);

 private:
  /// Where the next byte of each column goes. Code that puts many values uses a copy: to the
  /// compiler, a byte store may alias any member, which is then reloaded after each.
  class ColumnEnds {
   public:
    [[nodiscard]] std::uint8_t*& of(Column column) {
      return ends_[static_cast<std::size_t>(column)];
    }
    void put(Column column, std::uint64_t value) { of(column) = write_varint(of(column), value); }
    void put_tag(EventKind kind, Lane lane, bool is_explicit) {
      const auto tag = (static_cast<unsigned>(kind) + (is_explicit ? kExplicitKinds : 0U)) |
                       (static_cast<unsigned>(lane) << kLaneShift);
      *of(Column::kTag)++ = static_cast<std::uint8_t>(tag);
    }

   private:
    std::array<std::uint8_t*, kColumnCount> ends_{};
  };
  struct Allocation {
    Lane lane = Lane::kHeap;
    StackId stack = kNoStack;
    std::uint64_t size = 0;
    std::uint64_t extra = 0;
  };
  struct Released {
    AllocationNumber allocation = 0;
    std::uint64_t size = 0;
  };

  void rewind();
  void put_thread(ThreadId thread, std::uint32_t events);
  void end_thread_run();
  void put_stack(ColumnEnds& ends, StackId stack);
  static void put_ref(ColumnEnds& ends, BlockNumbers& numbers, AllocationNumber allocation);
  void put_allocation(ColumnEnds& ends, const Allocation& allocation);
  static bool is_size_stored(const BlockNumbers& numbers,
                             const DigestBuilder::Local* locals,
                             const Released& released);
  static void put_release(ColumnEnds& ends,
                          BlockNumbers& numbers,
                          Lane lane,
                          const Released& released,
                          bool is_explicit);
  void put_reallocation(ColumnEnds& ends,
                        BlockNumbers& numbers,
                        const Allocation& allocation,
                        const Released& released,
                        bool is_explicit);
  void put_others(const Event& event);
  void add_allocate(const Event& event);
  void add_release(const Event& event);
  void add_reallocate(const Event& event);
  void add_part(const Event& event, std::int64_t gone);
  void add_touch(const Event& event);

  std::array<std::unique_ptr<std::uint8_t[]>, kColumnCount> columns_;
  ColumnEnds ends_;
  SizePrediction sizes_;
  StackPrediction stacks_;
  BlockNumbers numbers_;
  DigestBuilder digest_{kMaxBlockEvents};
  std::uint64_t time_units_ = 0;
  std::uint32_t run_thread_ = 0;
  std::uint32_t run_length_ = 0;
};

}  // namespace tidemark::trace
