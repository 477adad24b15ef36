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

  [[nodiscard]] const std::vector<trace::Unrecorded>& entries() const { return entries_; }
  /// Program images in all.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Of these, for that reason.
  [[nodiscard]] std::uint64_t count(trace::WhyUnrecorded why) const;

 private:
  std::vector<trace::Unrecorded> entries_;
  std::uint64_t count_ = 0;
};

}  // namespace tidemark
