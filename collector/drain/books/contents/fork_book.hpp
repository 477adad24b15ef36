/// How much of the memory inherited from their parents forked processes have for themselves.
///
/// A forked process starts with its parent's address space, of which nothing counts in its own
/// lanes. Pages that it writes to become its own, and so do those that its parent writes to. Pages
/// that the parent frees stay with its forked processes, with one alone or shared by several. No
/// call tells this; only a look at all pages does, which is expensive. In between the kernel counts
/// page faults, one for each page that becomes a process's own: they tell when a look is due, and
/// at the end how much may be missing.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/process/process_memory.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace tidemark {

class ForkBook {
 public:
  /// Both stay borrowed.
  ForkBook(EventSink& sink, const HostList& hosts) : sink_(sink), hosts_(hosts) {}

  /// A look at the memory of a process that others share by a fork.
  struct Look {
    trace::ProcessId process{0};
    std::uint64_t at_ns = 0;
    std::uint64_t faults = 0;         ///< ProcessStat::faults at that time, or fewer.
    std::uint64_t parent_faults = 0;  ///< The same of its parent.
    MemoryRollup memory = {};
    std::uint64_t of_tidemark_bytes = 0;  ///< The part of private memory that is tidemark's.
  };

  /// Call once the host has its id.
  /// @param parent must have its id; null: unknown, and so is what `host` has inherited.
  static void begin(Host& host, const Host* parent);
  /// Whether both share pages from before a fork, as far as they have not written to them since.
  [[nodiscard]] static bool are_of_one_family(const Host& one, const Host& other);
  /// Whether, by page faults so far, so much of its parent's memory has become its own since the
  /// last look that the next one must not wait.
  [[nodiscard]] bool is_look_due(const Host& host) const;
  /// Call before looking at the memory of `host`. @return a Look without that memory.
  [[nodiscard]] Look begin_look(const Host& host) const;
  /// Whether the look just made at `host` has nearly all that it has written until now; false if it
  /// ran on meanwhile. Always true for a host that is not forked.
  [[nodiscard]] static bool is_told_by(const Host& host, const Look& look);
  /// Call after looking at all hosts that share pages, with no fork or end in between.
  void note(std::span<const Look> looks);
  /// Call before the host's end is in the trace.
  void end(Host& host);
  /// A wait has reported the end of a process, before or after that is known here.
  void note_last_faults(const ProcessNumbers& numbers, std::uint64_t faults);
  /// Settles the processes for which no wait will come any more.
  void end_recording();
  /// See Loss::written_unseen_bytes.
  [[nodiscard]] std::uint64_t written_unseen_bytes() const {
    return written_unseen_bytes_ < kUnseenWorthSaying ? 0 : written_unseen_bytes_;
  }

 private:
  /// Per process. Fewer bytes may be its stack and libraries' data, which count nowhere, or faults
  /// that made no page its own: those on file pages and on tidemark's.
  static constexpr std::uint64_t kWorthSaying = std::uint64_t{1} << 20U;
  static std::uint64_t if_worth_saying(std::uint64_t bytes) {
    return bytes < kWorthSaying ? 0 : bytes;
  }
  /// A shell and its forked processes may reach this much without any real loss.
  static constexpr std::uint64_t kUnseenWorthSaying = std::uint64_t{4} << 20U;
  /// How many processes may have ended before their waits are read.
  static constexpr std::size_t kMaxUnwaited = 4'096;

  /// A process that was alive when another one ended, with its unseen bytes then; mostly, its next
  /// look finds these.
  struct Beside {
    trace::ProcessId process{0};
    std::uint64_t looks = 0;  ///< How many looks there had been at it.
    std::uint64_t bytes = 0;
    bool is_lost = false;  ///< It has ended since without a look.
  };

  /// A process that has ended, and whose faults no wait has reported so far.
  struct Unwaited {
    ProcessNumbers numbers;
    trace::ProcessId process{0};
    std::uint64_t end_ns = 0;
    std::vector<trace::ProcessId> gone_beside;  ///< Ended too, settled later; in order.
    // Page faults here include those of children that it has waited for, as a wait reports them.
    std::uint64_t faults_before = 0;    ///< By the last look at its memory.
    std::uint64_t most_faults = 0;      ///< The most that a process can have had in its time.
    std::uint64_t explained = 0;        ///< Bytes of faults that the lanes have already counted.
    std::uint64_t of_parent_bytes = 0;  ///< What its parent's writes may have left to it.
    std::uint64_t most_bytes = 0;       ///< What was left of its parent's memory.
    std::uint64_t own_bytes = 0;        ///< What its lanes had at its end.
    std::uint64_t looks = 0;
    std::vector<Beside> beside;  ///< In order of ids.
  };

  /// What a process that has ended may have had unseen.
  struct Settled {
    trace::ProcessId process{0};
    std::vector<trace::ProcessId> gone_beside;
    std::uint64_t bytes = 0;
    std::uint64_t own_bytes = 0;
    std::vector<Beside> beside;
  };
  /// How many are remembered, for processes that ended together.
  static constexpr std::size_t kMaxSettled = 1'024;

  [[nodiscard]] Host* find(trace::ProcessId process) const;
  void resize(Host& host, std::uint64_t bytes);
  void note_look(Host& host, const Look& look, std::uint64_t own_bytes);
  [[nodiscard]] std::uint64_t common_bytes(std::span<const Look> looks,
                                           trace::ProcessId family) const;
  [[nodiscard]] std::uint64_t settled(Host& host, const Look& look, std::uint64_t bytes) const;
  void leave_to_others(const Host& host);
  void note_end(Host& host);
  void look_beside(const Host& host, Unwaited& ended) const;
  void settle(const Unwaited& ended, std::uint64_t faults);
  [[nodiscard]] std::uint64_t lost_with(const Settled& ended) const;
  static bool note_lost(std::vector<Beside>& beside, const Unwaited& lost, std::uint64_t bytes);

  EventSink& sink_;
  const HostList& hosts_;
  std::vector<Unwaited> unwaited_;
  std::deque<Settled> settled_;
  std::uint64_t written_unseen_bytes_ = 0;  ///< The most at any one time.
};

}  // namespace tidemark
