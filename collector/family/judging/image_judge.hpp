/// Judging: what the trace says of programs that were not recorded.
#pragma once

#include "collector/family/judging/exec_account.hpp"
#include "collector/family/judging/unrecorded_list.hpp"
#include "collector/family/members/family_clock.hpp"
#include "collector/family/members/family_image.hpp"

#include <cstdint>

#include <sys/types.h>

namespace tidemark {

/// Each image that has ended, or goes on at the end of the session, is judged once. Times are of
/// the session, in ns.
class ImageJudge {
 public:
  ImageJudge(const FamilyClock& clock, ExecAccount& execs) : clock_(clock), execs_(execs) {}

  /// @param now_ns of the current look: everything that the image wrote before its end is read.
  void judge(pid_t pid, const FamilyImage& image, std::uint64_t until_ns, std::uint64_t now_ns);
  /// Judges the execs without an account, after all images were judged.
  void judge_execs();
  /// A host has started a program as `pid` (0: not known) that has not come into the session.
  /// @param until_ns when the process was seen to be gone; 0: not known.
  void give_up(pid_t pid, std::uint64_t from_ns, std::uint64_t until_ns);
  /// There was a process within this time of which only the end was seen.
  void note_fork(std::uint64_t from_ns, std::uint64_t until_ns) {
    unrecorded_.note_fork(from_ns, until_ns);
  }

  /// @param refused number of processes that got no slot in the session, so far.
  void set_refused(std::uint64_t refused) { refused_ = refused; }
  /// Adds those of them that are not on the list by name; call once all is judged.
  void add_refused_without_name();

  UnrecordedList& unrecorded() { return unrecorded_; }

 private:
  [[nodiscard]] bool may_be_refused() const;

  const FamilyClock& clock_;
  ExecAccount& execs_;
  UnrecordedList unrecorded_;
  std::uint64_t refused_ = 0;
};

}  // namespace tidemark
