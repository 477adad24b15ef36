/// Which of the execs that the kernel has told led to a program that is known.
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
/// the session, or by what looks have found out. An exec that nobody accounts for began a program
/// that is missing. Which account is which exec's is found by times; how many are missing does not
/// depend on them, nor on a pid that was given to several processes.
///
/// Times are of the session, in ns.
class ExecLedger {
 public:
  struct Missing {
    Exec exec;
    std::uint64_t gone_ns = 0;  ///< When its process was seen to be gone; 0: it was not seen.
  };

  void told(Exec exec);
  /// A program of `pid`, or of an unknown process (0), came into the session.
  void recorded(pid_t pid, std::uint64_t at_ns);
  /// The process of that claim is looked for once more: `recorded` follows.
  void forget_unknown(std::uint64_t at_ns);
  /// A program of `pid` was seen at `at_ns`, and what became of it without a claim is known: it is
  /// said to be missing, or had the session's memory and ended before it used it.
  void known(pid_t pid, std::uint64_t at_ns);

  /// Gives execs to those that account for them. To be called when all is told that has happened.
  void settle();
  /// Looks whether the programs of execs that nobody has accounted for are gone, as EndWatch does.
  void look_for_ends(const std::function<std::uint64_t()>& now,
                     const std::function<bool(pid_t)>& is_gone);
  /// Of the execs that nobody has accounted for, notes which programs have ended: those that
  /// another exec has replaced, and those whose process `is_gone`.
  void note_ends(const std::function<bool(pid_t)>& is_gone);
  /// Takes out the execs that nobody has accounted for, and forgets all else. Claims of unknown
  /// processes account for what is left over before them.
  /// @param goes_on of a program that has not ended when `note_ends` was called.
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
    std::uint64_t last_exec_ns = 0;  ///< Also of one that is accounted for.
    std::vector<std::uint64_t> recorded;
    std::vector<std::uint64_t> known;
  };

  static void settle(Account& account, std::vector<std::uint64_t>& programs, bool by_time);
  Account take_all();
  void settle_unknown();

  std::unordered_map<pid_t, Account> accounts_;
  std::vector<std::uint64_t> unknown_;  ///< Claims of processes that could not be found.
  std::size_t many_unknown_ = 1024;     ///< With so many, it is time to settle them.
};

}  // namespace tidemark
