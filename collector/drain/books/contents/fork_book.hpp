/// What forked processes have for themselves of the memory that they have from their parents.
///
/// A forked process has the address space of its parent, of which nothing counts in its own lanes.
/// What it writes there is its own from then on, and so is what its parent writes to. What the
/// parent frees stays with those that it has forked: with one of them alone or with several in
/// common. No call tells all that: a look at all pages does, which is dear. In between the kernel
/// counts page faults, one for each page that becomes a process's own: they say when a look is due,
/// and at the end how much can be missing.
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
    std::uint64_t faults = 0;         ///< ProcessStat::faults then, or fewer.
    std::uint64_t parent_faults = 0;  ///< The same of its parent.
    MemoryRollup memory = {};
    std::uint64_t of_tidemark_bytes = 0;  ///< What is not the program's own, privately.
  };

  /// Once the host has its id.
  /// @param parent null: unknown, and so is what `host` has of it. Else one that has its id.
  static void begin(Host& host, const Host* parent);
  /// Both have pages from before a fork, as far as they have not written to them since.
  [[nodiscard]] static bool are_of_one_family(const Host& one, const Host& other);
  /// By the faults up to now, so much of its parent's memory has become its own since the last look
  /// that the next one must not wait.
  [[nodiscard]] bool is_look_due(const Host& host) const;
  /// Before a look at the memory of `host`: the look but for that memory.
  [[nodiscard]] Look begin_look(const Host& host) const;
  /// Whether the look at `host` that has just been made tells nearly all that it has written until
  /// now: else it has run on meanwhile. Of the program itself nobody asks.
  [[nodiscard]] static bool is_told_by(const Host& host, const Look& look);
  /// After looks at all of those that share pages, between the same forks and ends.
  void note(std::span<const Look> looks);
  /// Before its end is in the trace.
  void end(Host& host);
  /// A wait has told the end of a process, before or after it is known here.
  void note_last_faults(const ProcessNumbers& numbers, std::uint64_t faults);
  /// What the end of its child leaves unsaid, no wait will tell any more.
  void end_recording();
  /// See Loss::written_unseen_bytes.
  [[nodiscard]] std::uint64_t written_unseen_bytes() const {
    return written_unseen_bytes_ < kUnseenWorthSaying ? 0 : written_unseen_bytes_;
  }

 private:
  /// Of one process. Less is of its stack and of libraries' data, which counts nowhere, or of
  /// faults that made nothing its own: of files' pages, and tidemark's.
  static constexpr std::uint64_t kWorthSaying = std::uint64_t{1} << 20U;
  static std::uint64_t if_worth_saying(std::uint64_t bytes) {
    return bytes < kWorthSaying ? 0 : bytes;
  }
  /// A shell and those that it forks have had so much for nothing.
  static constexpr std::uint64_t kUnseenWorthSaying = std::uint64_t{4} << 20U;
  /// How many processes may have ended before their waits are read.
  static constexpr std::size_t kMaxUnwaited = 4'096;

  /// One that was there when another one ended, with what it had unseen then: mostly its next look
  /// finds that.
  struct Beside {
    trace::ProcessId process{0};
    std::uint64_t looks = 0;  ///< So many there had been at it.
    std::uint64_t bytes = 0;
    bool is_lost = false;  ///< It has ended since without a look.
  };

  /// One that has ended, and whose faults nobody has told so far.
  struct Unwaited {
    ProcessNumbers numbers;
    trace::ProcessId process{0};
    std::uint64_t end_ns = 0;
    std::vector<trace::ProcessId> gone_beside;  ///< Those that are told later, in order.
    // Of page faults with those of children that it has waited for, as a wait tells them.
    std::uint64_t faults_before = 0;    ///< By the last look at its memory.
    std::uint64_t most_faults = 0;      ///< What a process can have had in that time.
    std::uint64_t explained = 0;        ///< Bytes of faults that the lanes have counted.
    std::uint64_t of_parent_bytes = 0;  ///< What its parent's writes can have left to it.
    std::uint64_t most_bytes = 0;       ///< What was left of its parent's memory.
    std::uint64_t own_bytes = 0;        ///< What its lanes had to its end.
    std::uint64_t looks = 0;
    std::vector<Beside> beside;  ///< In order of ids.
  };

  /// What one that has ended can have had unseen.
  struct Settled {
    trace::ProcessId process{0};
    std::vector<trace::ProcessId> gone_beside;
    std::uint64_t bytes = 0;
    std::uint64_t own_bytes = 0;
    std::vector<Beside> beside;
  };
  /// So many are remembered, for those that ended together.
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
  std::uint64_t written_unseen_bytes_ = 0;  ///< At any one time.
};

}  // namespace tidemark
