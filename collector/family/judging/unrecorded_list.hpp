/// The programs that were not recorded, as many as there were, and by name as far as the list goes.
#pragma once

#include "collector/trace/types/unrecorded.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// A process that has ended, as the one that waited for it was told.
struct WaitedProcess {
  pid_t pid = 0;  ///< In our own pid namespace; 0: not known.
  std::uint64_t at_ns = 0;
  /// With those of its children that it has waited for; 0: not known, as below.
  std::uint64_t cpu_ns = 0;
  std::uint64_t most_resident_bytes = 0;  ///< Of any image that the process was.
};

class UnrecordedList {
 public:
  enum class Began : std::uint8_t {
    kByExec,
    kByFork,            ///< With what its parent had, which nobody recorded either.
    kByForkOfRecorded,  ///< What it has from its parent is recorded there.
  };
  /// Where the list is full, it is added to the others of its reason.
  void add(trace::Unrecorded program, Began began = Began::kByExec);

  void note_wait(const WaitedProcess& process);
  /// Once all is added: a program that was waited for had ended by then, and cannot have written
  /// more than its time on a processor is enough for. What a fork has, others have written.
  void bound_by_waits();

  /// Somebody was there within this time of whom nothing more is known than that he was forked, and
  /// that he made no claim: he may be of a program on the list, and have gone on with what it had.
  void note_fork(std::uint64_t from_ns, std::uint64_t until_ns);
  /// Once all is added: what the list knows of a program is of those that it forked, too.
  void stretch_over_forks();

  [[nodiscard]] const std::vector<trace::Unrecorded>& entries() const { return entries_; }
  /// Program images in all.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Of these, for that reason.
  [[nodiscard]] std::uint64_t count(trace::WhyUnrecorded why) const;

 private:
  struct Fork {
    std::uint64_t from_ns = 0;
    std::uint64_t until_ns = 0;
  };

  /// More tell of no single one any more.
  static constexpr std::size_t kMaxForks = 4096;

  /// Of more processes nothing is kept.
  static constexpr std::size_t kMaxWaits = 65'536;

  std::vector<trace::Unrecorded> entries_;
  std::vector<Began> began_;  ///< Of each of `entries_`.
  std::unordered_map<pid_t, std::vector<WaitedProcess>> waits_;
  std::size_t wait_count_ = 0;
  std::vector<Fork> forks_;
  bool has_more_forks_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace tidemark
