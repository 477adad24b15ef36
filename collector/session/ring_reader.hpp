/// Takes committed records out of one ring, whatever its writer did or did not get done.
#pragma once

#include "preload/wire/kinds.hpp"
#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark {

/// A copy of one record: nothing in it changes any more, and nothing in it is to be trusted either.
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
/// A slot that was reserved but not committed while later ones are is a *hole*: a signal handler
/// interrupted its thread between the two, or left by longjmp, or the host died there. Holes are
/// stepped over at once, so that nothing behind them waits, and looked at again until they are
/// filled or can no longer be: nothing in the host can depend on a record that is not committed, so
/// its lateness is harmless.
class RingReader {
 public:
  /// Of one batch. Some more may come with it: those that filled a hole.
  static constexpr std::size_t kBatchRecords = 1024;

  /// Starts at position 0, so it must be made while the session is young and kept for its whole
  /// life.
  RingReader(const wire::SessionMap& session, std::uint32_t ring);

  /// Appends what is committed to `batch`, kBatchRecords at most; stops at the first record with
  /// ticks of `until` or later. `until` must be a time before the call: then a record that is taken
  /// was made before it, and so was, and is taken, every earlier one of its thread.
  /// @param final the writer is dead: there is nothing to wait for.
  /// @return whether all was taken; false when the batch was full before that.
  bool read(RingBatch& batch, std::uint64_t until_ticks, bool final);

  /// Tells the writer how far the ring was read, without waking it. Batches are copies: they stay
  /// good.
  void release();

  /// Of no effect on one that does not wait.
  void wake_writer();
  /// The same, but leaves one that waits on `cpu` (as ControlPage::collector_cpu) to wait.
  void wake_writer_unless_on(std::uint32_t cpu);
  /// Slots that are free, those that the writer keeps for its signal handlers included.
  [[nodiscard]] std::uint64_t room() const;

  [[nodiscard]] bool has_unread() const;
  /// Of the next slot to read.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// Behind what the writer has begun to write, as it says it.
  [[nodiscard]] std::uint64_t reserved() const;

 private:
  [[nodiscard]] bool is_committed(std::uint64_t position, std::uint64_t& head) const;
  [[nodiscard]] bool is_hole(std::uint64_t end) const;
  void take_run(RingBatch& batch,
                std::uint64_t until_ticks,
                std::uint64_t limit,
                std::size_t room,
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
