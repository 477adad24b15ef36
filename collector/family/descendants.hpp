/// Every process that a session has started, seen from outside: which ones are recorded, and which
/// are not.
#pragma once

#include "collector/family/judging/exec_account.hpp"
#include "collector/family/judging/image_judge.hpp"
#include "collector/family/judging/unrecorded_list.hpp"
#include "collector/family/members/claim_finder.hpp"
#include "collector/family/members/family_clock.hpp"
#include "collector/family/members/host_claim.hpp"
#include "collector/family/members/look_pace.hpp"
#include "collector/family/members/roster.hpp"
#include "collector/family/members/why_unrecorded.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace tidemark {

/// The family below this process. It makes itself the reaper of orphans (PR_SET_CHILD_SUBREAPER),
/// so no process leaves the family, however often it forks; orphans that have ended are waited for
/// here. Children of this process from before the session, and their children, are not part of it.
///
/// A look goes through the lists of children if anything was started, and through the images of all
/// known members. It comes with every pass (so at least every 5 ms), but less often if it would
/// take more than a hundredth of the time plus a fifth of a millisecond for each image. An image
/// (what a fork or an exec begins) is recorded if it made a claim or has the session's memory
/// mapped; if it ends without either, it is unrecorded. This is judged one look later, when
/// everything that it wrote before its end has surely been read. An image that lives for less than
/// the time between two looks may be missed. If the kernel reports all execs (ExecWatch), such a
/// program is still counted, by its name; otherwise the exec records of hosts make up for most of
/// these.
///
/// Times are session times, in ns. For one thread.
class Descendants {
 public:
  /// Construct before the session's first process is created.
  /// @param memory the session's memory, which recorded processes map.
  Descendants(SessionEntrance entrance, int memory);
  ~Descendants();
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

  /// Call while the session's first process waits before its first exec.
  void watch_execs(pid_t root) { execs_.open(root); }
  /// The session's first process was started.
  /// @param now_ns in this very moment.
  void begin(pid_t root, std::uint64_t now_ns);

  /// Finds ends, starts and images since the last look. Cheap when it is not due.
  /// @param now_ns the current time. Everything recorded before the last look must have been read.
  void look(std::uint64_t now_ns);
  /// The longest time until the next look. Short if something was started just now, since that may
  /// soon end or start more.
  [[nodiscard]] std::uint64_t patience_ns() const { return pace_.patience_ns(now_ns_); }
  /// The next look is due at once.
  void hurry() { pace_.hurry(); }
  /// Finds all members of the family, due or not: a process that is not found after this has ended.
  void search();

  /// Waits for orphans that have ended, but not for `root`.
  /// @param last_look is called for each before it is gone.
  void reap(pid_t root, const std::function<void(pid_t)>& last_look);
  /// Calls `visit` for every member that has not been waited for, as far as the last look knows.
  void visit_members(const std::function<void(pid_t)>& visit) const;

  /// Finds who made the claim; the image found counts as recorded.
  HostSearch find(const HostClaim& claim);
  /// Our pid for the child of `parent` whose own pid namespace calls it `own_pid`; 0: not known.
  [[nodiscard]] pid_t find_child(pid_t parent, pid_t own_pid) const {
    return roster_.find_child(parent, own_pid);
  }

  /// A member of the family was waited for. Does nothing if the pid is not known.
  void note_wait(const WaitedProcess& process) { judge_.unrecorded().note_wait(process); }

  /// A host has started a program as `pid` (0: not known) that has not come into the session: it is
  /// unrecorded, unless it was seen since, or the kernel tells what began.
  /// @param from_ns when it was asked for.
  /// @param until_ns when the process was seen to be gone; 0: not known.
  void give_up_program(pid_t pid,
                       std::uint64_t since_ns,
                       std::uint64_t from_ns,
                       std::uint64_t until_ns);

  /// Members that are alive, as far as the last look knows.
  [[nodiscard]] std::size_t alive() const { return roster_.alive(); }
  /// The whole family has ended. Looks anew.
  bool has_left();

  /// What program a recorded process runs.
  void note_executable(const std::string& path) { execs_.note_executable(path); }
  /// Whether the kernel has reported every exec of the session so far.
  [[nodiscard]] bool are_execs_watched() const {
    return !roster_.has_seen_set_id() && execs_.is_complete();
  }

  /// Looks whether due or not: the last time before the session ends.
  void look_once_more(std::uint64_t now_ns);
  /// The session ends now: judges images that have ended, and those that go on unrecorded.
  /// @param refused processes that did not come into the session, by their own account.
  void finish(std::uint64_t now_ns, const RefusalCounts& refused);
  /// @param refused the same, so far.
  void set_refused(const RefusalCounts& refused) { judge_.set_refused(refused); }

  UnrecordedList& unrecorded() { return judge_.unrecorded(); }

 private:
  void look_at_all(std::uint64_t now_ns);
  void judge_ended();

  FamilyClock clock_;
  LookPace pace_;
  Roster roster_;
  ClaimFinder claims_;
  ExecAccount execs_;
  ImageJudge judge_;
  std::uint64_t now_ns_ = 0;  ///< Time of the last look.
};

}  // namespace tidemark
