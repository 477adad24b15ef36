/// Judging: what the trace says of programs that were not recorded.
#pragma once

#include "collector/family/judging/exec_account.hpp"
#include "collector/family/judging/unrecorded_list.hpp"
#include "collector/family/members/family_clock.hpp"
#include "collector/family/members/family_image.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include <sys/types.h>

namespace tidemark {

/// How many processes said themselves that they could not come into the session.
struct RefusedProcesses {
  trace::WhyUnrecorded why = trace::WhyUnrecorded::kUnknown;
  std::uint64_t count = 0;
};
/// By reason.
using RefusalCounts = std::array<RefusedProcesses, 3>;

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

  /// @param refused so far, the reasons in the same order at every call.
  void set_refused(const RefusalCounts& refused) { refused_ = refused; }
  /// Adds those of them that are not on the list by name; call once all is judged.
  void add_refused_without_name();

  UnrecordedList& unrecorded() { return unrecorded_; }

 private:
  /// Why a process was refused that is not on the list yet; none if all of them are.
  [[nodiscard]] std::optional<trace::WhyUnrecorded> open_refusal() const;
  /// Puts a program on the list that may have been refused for the reason in it.
  void add_refused(trace::Unrecorded program, UnrecordedList::Began began);

  const FamilyClock& clock_;
  ExecAccount& execs_;
  UnrecordedList unrecorded_;
  RefusalCounts refused_;
  /// Those on the list, by reason.
  std::array<std::uint64_t, std::tuple_size_v<RefusalCounts>> listed_{};
};

}  // namespace tidemark
