/// The programs that were not recorded: how many there were, and their names as far as the list
/// goes.
#pragma once

#include "collector/trace/types/unrecorded.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// A process that has ended, as reported to the process that waited for it.
struct WaitedProcess {
  pid_t pid = 0;  ///< In our own pid namespace; 0: not known.
  std::uint64_t at_ns = 0;
  /// With those of its children that it has waited for; 0: not known, as below.
  std::uint64_t cpu_ns = 0;
  std::uint64_t most_resident_bytes = 0;  ///< The highest among the images that the process was.
};

class UnrecordedList {
 public:
  enum class Began : std::uint8_t {
    kByExec,
    kByFork,            ///< With its parent's memory, which was not recorded either.
    kByForkOfRecorded,  ///< Its parent's memory is recorded there.
  };
  /// If the list is full, counts it with the others of its reason.
  void add(trace::Unrecorded program, Began began = Began::kByExec);

  void note_wait(const WaitedProcess& process);
  /// Call once all is added: a program that was waited for had ended by then, and cannot have
  /// written more than its processor time allows. (What a fork inherits, others have written.)
  void bound_by_waits();

  /// There was a process within this time of which is only known that it was forked and made no
  /// claim. It may be a fork of a program on the list, and have kept that one's memory.
  void note_fork(std::uint64_t from_ns, std::uint64_t until_ns);
  /// Call once all is added: extends the entry of a program over those that it forked.
  void stretch_over_forks();

  [[nodiscard]] const std::vector<trace::Unrecorded>& entries() const { return entries_; }
  /// Program images in all.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// How many of these for that reason.
  [[nodiscard]] std::uint64_t count(trace::WhyUnrecorded why) const;

 private:
  struct Fork {
    std::uint64_t from_ns = 0;
    std::uint64_t until_ns = 0;
  };

  /// With more forks, none of them says anything about a single program.
  static constexpr std::size_t kMaxForks = 4096;

  /// Most waits kept.
  static constexpr std::size_t kMaxWaits = 65'536;

  std::vector<trace::Unrecorded> entries_;
  std::vector<Began> began_;  ///< For each of `entries_`.
  std::unordered_map<pid_t, std::vector<WaitedProcess>> waits_;
  std::size_t wait_count_ = 0;
  std::vector<Fork> forks_;
  bool has_more_forks_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace tidemark
