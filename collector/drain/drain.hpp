/// Empties the rings of all hosts into the assembler, in time order.
#pragma once

#include "collector/drain/assembler.hpp"
#include "collector/session/ring_reader.hpp"
#include "collector/session/shared_session.hpp"
#include "collector/session/tick_clock.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tidemark {

/// A pass first reads the clock, then takes every committed record stamped before that, merged by
/// time. A record that is committed later with an earlier stamp cannot have had consequences yet:
/// whatever its thread did because of it is stamped after the pass. So no pass sees an effect
/// before its cause, without waiting for anyone; the next pass takes such a record.
///
/// A pass proceeds in steps of one batch per ring. Each step merges up to the earliest time at
/// which a batch ended, as the records after that are not known yet.
class Drain : public RingsAhead {
 public:
  /// @param family as Assembler takes it.
  Drain(SharedSession& session, trace::TraceWriter& writer, Descendants* family = nullptr);

  /// One pass. @return records taken.
  std::size_t pass();

  /// Sleeps until a host waits for space, or for `timeout_ns`.
  void sleep(std::uint64_t timeout_ns);

  [[nodiscard]] Assembler& assembler() { return assembler_; }
  /// Time of the last pass; events taken so far are not later.
  [[nodiscard]] std::uint64_t pass_ns() const { return clock_.looked_ns(); }
  [[nodiscard]] std::uint64_t now_ns() const override { return clock_.now_ns(); }
  [[nodiscard]] bool has_dropped() const override { return dropped() != 0; }
  [[nodiscard]] PageRanges taken_pages(const Host& host) const override;
  /// Passes that could not map the memory of threads or processes here; this ends the session.
  [[nodiscard]] std::uint64_t windows_missing() const { return windows_missing_; }
  /// Time that hosts have spent waiting for space, all threads so far.
  [[nodiscard]] std::uint64_t blocked_ns() const;
  /// Records that hosts dropped (--overflow drop).
  [[nodiscard]] std::uint64_t dropped() const;
  /// Records whose stack was cut.
  [[nodiscard]] std::uint64_t stacks_truncated() const;
  /// Bytes that the hooks saw read and its kin return, in all processes and from all descriptors.
  [[nodiscard]] std::uint64_t bytes_read() const;
  /// Processes that read, or may have read, through io_uring rings that no hook could follow.
  [[nodiscard]] std::uint64_t rings_unseen() const;
  /// Shared pages that `host` has touched, as far as its rings and stacks tell.
  [[nodiscard]] std::uint64_t shared_bytes(const Host& host);

 private:
  struct Ring {
    RingReader reader;
    RingBatch batch;
    const RawRecord* next = nullptr;  ///< First record of the batch not yet merged.
    const RawRecord* end = nullptr;   ///< One past its last one.
    std::uint64_t batches = 0;        ///< In this pass.
    bool final = false;               ///< Its writer is dead.
    bool was_free = false;

    [[nodiscard]] bool is_merged() const { return next == end; }
  };

  /// A ring with records to merge.
  struct Active {
    std::uint64_t time = 0;  ///< The next record's.
    std::uint32_t ring = 0;

    /// By time; at equal times, the earlier ring comes first.
    friend auto operator<=>(const Active&, const Active&) = default;
  };

  /// A ring whose thread may have ended.
  struct Watched {
    std::uint32_t slot = 0;  ///< Its process's slot.
    std::uint32_t ring = 0;
    std::uint64_t word = 0;
    std::uint64_t reserved = 0;  ///< Position after what it has written.
  };

  void add_rings();
  void find_deaths();
  void find_thread_ends();
  void list_watched();
  void look_at_threads(const Host& host, std::span<const Watched> threads);
  void tell_thread_ends();
  std::uint64_t read_rings(std::uint64_t until);
  std::uint64_t read_unfinished(std::uint64_t until);
  void merge(std::uint64_t cut);
  void settle_first();
  [[nodiscard]] std::uint64_t time_of_next(const Ring& ring) const;
  void take(std::uint32_t index, Ring& ring, std::uint64_t until);
  void wake_all_writers();
  void end_dead_hosts();
  void note_own_bytes(Host& host);
  [[nodiscard]] bool is_read(const Host& host) const;
  void add_up_rings();
  void empty_full_tables();
  void free_rings_of(std::uint32_t owner);
  void free_slot(const Host& host);
  void trim_idle_rings();
  [[nodiscard]] bool is_owner_dead(std::uint32_t owner) const;
  [[nodiscard]] std::uint32_t processes_used() const;

  SharedSession& session_;
  TickClock clock_;
  Assembler assembler_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<Active> active_;             ///< A heap, the earliest first.
  std::vector<std::uint32_t> unfinished_;  ///< Rings with records left to read in this pass.
  std::vector<bool> dead_owner_;           ///< By ProcessSlot.
  /// Touched bytes of rings, by ProcessSlot; valid if `are_ring_bytes_known_`.
  std::vector<std::uint64_t> ring_bytes_;
  bool are_ring_bytes_known_ = false;
  std::vector<Watched> watched_;  ///< In find_thread_ends.
  std::vector<Watched> ended_;    ///< Threads that this pass has found gone.
  std::uint64_t next_thread_look_ns_ = 0;
  std::uint64_t records_taken_ = 0;
  std::uint64_t windows_missing_ = 0;
  std::uint64_t stacks_truncated_ = 0;  ///< On hosts that are gone.
  std::uint64_t bytes_read_ = 0;        ///< The same.
  std::uint64_t rings_unseen_ = 0;      ///< The same.
  std::uint64_t next_trim_ns_ = 0;
  std::uint32_t bell_ =
      0;  ///< The doorbell when the last pass began: what rang since was not looked at.
};

}  // namespace tidemark
