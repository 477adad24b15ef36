/// Takes committed records out of one ring, wherever its writer stopped.
#pragma once

#include "preload/wire/kinds.hpp"
#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark {

/// A copy of one record: it no longer changes, but none of its content can be trusted.
struct RawRecord {
  wire::RecordKind kind = wire::RecordKind::kNone;
  std::uint64_t time = 0;  ///< Low wire::kTimeBits of the ticks.
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t stack = 0;
  std::uint32_t extra = 0;
  std::uint32_t payload_at = 0;     ///< In the batch's payload bytes.
  std::uint32_t payload_bytes = 0;  ///< A multiple of wire::kPayloadBytes.

  [[nodiscard]] wire::Words words() const { return {address, size, stack, extra}; }
};

/// Some records of one ring: few enough to stay in a core's own cache until they are merged.
struct RingBatch {
  std::vector<RawRecord> records;
  std::vector<std::byte> payload;

  void clear() {
    records.clear();
    payload.clear();
  }
};

/// Reading side of one ring.
///
/// A slot that was reserved but not committed, while later ones were, is a *hole*: a signal handler
/// interrupted its thread between the two, or left by longjmp, or the host died there. Holes are
/// skipped at once, so that nothing behind them waits, and checked again until they are filled or
/// can no longer be. A late record is harmless: nothing in the host can depend on one that is not
/// committed.
class RingReader {
 public:
  /// Records in one batch. Records that filled a hole may come on top.
  static constexpr std::size_t kBatchRecords = 1024;

  /// Starts at position 0, so it must be made when the session begins, and kept for its whole life.
  RingReader(const wire::SessionMap& session, std::uint32_t ring);

  /// Appends what is committed to `batch`, kBatchRecords at most; stops at the first record with
  /// ticks of `until` or later. `until` must be a time before the call: then every record taken was
  /// made before it, and all earlier ones of that thread are taken, too.
  /// @param final The writer is dead: nothing more will be committed.
  /// @return whether all was taken; false when the batch was full before that.
  bool read(RingBatch& batch, std::uint64_t until_ticks, bool final);

  /// Tells the writer how far the ring was read, without waking it. Batches are copies and stay
  /// valid.
  void release();

  /// No effect if it does not wait.
  void wake_writer();
  /// The same, but leaves one that waits on `cpu` (as ControlBlock::collector_cpu) to wait.
  void wake_writer_unless_on(std::uint32_t cpu);
  /// Slots that are free, those that the writer keeps for its signal handlers included.
  [[nodiscard]] std::uint64_t space() const;

  [[nodiscard]] bool has_unread() const;
  /// Position of the next slot to read.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// The writer's `reserved` position, as the writer gives it: not to be trusted.
  [[nodiscard]] std::uint64_t reserved() const;

 private:
  [[nodiscard]] bool is_committed(std::uint64_t position, std::uint64_t& head) const;
  [[nodiscard]] bool is_hole(std::uint64_t end) const;
  void take_run(RingBatch& batch,
                std::uint64_t until_ticks,
                std::uint64_t limit,
                std::size_t space,
                bool final);
  std::size_t copy_plain(std::span<RawRecord> out, std::uint64_t until_ticks, bool final) const;
  void take(RingBatch& batch, std::uint64_t position, std::uint64_t head, std::uint64_t end);
  void add_hole(std::uint64_t position);
  void revisit_holes(RingBatch& batch);
  [[nodiscard]] bool is_handed_out_again(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t payload_slots(std::uint64_t position, std::uint64_t end) const;

  wire::RingHeader* header_;
  const wire::Slot* slots_;
  std::uint64_t position_ = 0;
  std::uint64_t released_ = 0;
  std::vector<std::uint64_t> holes_;
};

}  // namespace tidemark
