/// Which of the execs that the kernel has reported led to a known program.
#pragma once

#include "collector/family/judging/end_watch.hpp"
#include "collector/family/judging/exec_watch.hpp"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// Each exec begins one program, and each program is accounted for once: by its claim on a place in
/// the session, or by what looks have found. An exec without an account began a program that is
/// missing. Accounts are matched to execs by time; how many are missing does not depend on times,
/// nor on a pid that several processes had.
///
/// Times are of the session, in ns.
class ExecLedger {
 public:
  struct Missing {
    Exec exec;
    std::uint64_t gone_ns = 0;  ///< When its process was seen to be gone; 0: not seen.
  };

  void told(Exec exec);
  /// A program of `pid`, or of an unknown process (0), came into the session.
  void recorded(pid_t pid, std::uint64_t at_ns);
  /// The process of that claim is looked for once more: `recorded` follows.
  void forget_unknown(std::uint64_t at_ns);
  /// A program of `pid` was seen at `at_ns`, made no claim, and its fate is known: it is listed as
  /// missing, or it had mapped the session's memory and ended before using it.
  void known(pid_t pid, std::uint64_t at_ns);

  /// Matches execs with accounts. Call when everything so far has been reported.
  void settle();
  /// Looks whether the programs of execs without an account are gone, as EndWatch does.
  void look_for_ends(const std::function<std::uint64_t()>& now,
                     const std::function<bool(pid_t)>& is_gone);
  /// Notes which programs of execs without an account have ended: those that another exec has
  /// replaced, and those whose process `is_gone`.
  void note_ends(const std::function<bool(pid_t)>& is_gone);
  /// Takes out the execs without an account, and forgets all others. Claims of unknown processes
  /// account for execs that are left over before them.
  /// @param goes_on true for a program that had not ended when `note_ends` was called.
  std::vector<Missing> take_missing(const std::function<bool(const Exec&)>& goes_on);

  /// A program of `pid` has begun and is not accounted for.
  [[nodiscard]] bool has_open(pid_t pid) const;

 private:
  struct Entry {
    Exec exec;
    bool has_ended = false;
    EndWatch end = {};
  };
  struct Account {
    std::vector<Entry> execs;
    std::uint64_t last_exec_ns = 0;  ///< Also if that one is accounted for.
    std::vector<std::uint64_t> recorded;
    std::vector<std::uint64_t> known;
  };

  static void settle(Account& account, std::vector<std::uint64_t>& programs, bool by_time);
  Account take_all();
  void settle_unknown();

  std::unordered_map<pid_t, Account> accounts_;
  std::vector<std::uint64_t> unknown_;  ///< Claims of processes that could not be found.
  std::size_t many_unknown_ = 1024;     ///< With this many, it is time to settle them.
};

}  // namespace tidemark
