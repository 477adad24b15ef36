/// Execs as the kernel reports them, and which of them are accounted for.
#pragma once

#include "collector/family/judging/exec_ledger.hpp"
#include "collector/family/judging/exec_watch.hpp"
#include "collector/family/members/family_clock.hpp"
#include "collector/family/members/host_claim.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

#include <sys/types.h>

namespace tidemark {

/// Combines ExecWatch and ExecLedger. Accounts for nothing if the watch is not open. Times are
/// session times, in ns.
class ExecAccount {
 public:
  explicit ExecAccount(const FamilyClock& clock) : clock_(clock) {}

  /// Call while the session's first process has not made its first exec yet.
  void open(pid_t root) { watch_.open(root); }
  /// Takes what the kernel has reported since the last call.
  void read();
  /// Call for the exec that the claim's program began with.
  void note_claim(const HostClaim& claim, const HostSearch& search);
  /// The program that a recorded process runs, or ran if it is gone already.
  void note_executable(const std::string& path);
  /// The program of `pid` that was seen at `at_ns` is judged, as ExecLedger::known has it.
  void note_judged(pid_t pid, std::uint64_t at_ns);
  /// Reads, and looks which programs have ended: the session ends soon.
  void note_last_look(std::uint64_t now_ns);

  /// Takes out the execs that are not accounted for after all images were judged: their programs
  /// were gone before any look.
  void take_missing(const std::function<void(const ExecLedger::Missing&)>& visit);

  /// Every exec of the session has been reported so far.
  [[nodiscard]] bool is_complete() const { return !has_left_watch_ && watch_.is_complete(); }
  /// Whether an exec of this process was reported and the process is judged by that.
  [[nodiscard]] bool is_told(pid_t pid) const {
    return pid != 0 && (ledger_.has_open(pid) || missing_.contains(pid));
  }

 private:
  const FamilyClock& clock_;
  ExecWatch watch_;
  ExecLedger ledger_;  ///< Empty while the watch is not open.
  std::unordered_set<pid_t> missing_;
  std::uint64_t last_look_ns_ = 0;
  bool has_left_watch_ = false;  ///< The kernel has ended the watch for some process.
};

}  // namespace tidemark
