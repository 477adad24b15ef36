#include "collector/family/unrecorded_list.hpp"

#include <algorithm>
#include <utility>

namespace tidemark {
namespace {

/// Entries with a name; the rest of the list is for the sums, one a reason.
constexpr std::size_t kMaxNamed = trace::kMaxUnrecordedEntries - 16;

}  // namespace

void UnrecordedList::add(trace::Unrecorded program) {
  count_ += program.processes;
  program.command.resize(std::min(program.command.size(), trace::kMaxUnrecordedCommandBytes));
  const bool is_named = program.pid != 0 || !program.command.empty();
  if (is_named && entries_.size() < kMaxNamed) {
    entries_.push_back(std::move(program));
    return;
  }
  const auto sum = std::ranges::find_if(entries_, [&](const trace::Unrecorded& entry) {
    return entry.pid == 0 && entry.command.empty() && entry.why == program.why;
  });
  if (sum != entries_.end()) {
    sum->processes += program.processes;
  } else {
    entries_.push_back({.why = program.why, .processes = program.processes});
  }
}

std::uint64_t UnrecordedList::count(trace::WhyUnrecorded why) const {
  std::uint64_t total = 0;
  for (const trace::Unrecorded& entry : entries_) {
    total += entry.why == why ? entry.processes : 0;
  }
  return total;
}

}  // namespace tidemark
