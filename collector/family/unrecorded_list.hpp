/// The programs that were not recorded, as many as there were, and by name as far as the list goes.
#pragma once

#include "collector/trace/types/unrecorded.hpp"

#include <cstdint>
#include <vector>

namespace tidemark {

class UnrecordedList {
 public:
  /// Where the list is full, it is added to the others of its reason.
  void add(trace::Unrecorded program);

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

  std::vector<trace::Unrecorded> entries_;
  std::vector<Fork> forks_;
  bool has_more_forks_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace tidemark
