#include "collector/family/unrecorded_list.hpp"

#include "collector/family/life_bound.hpp"

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

void UnrecordedList::note_fork(std::uint64_t from_ns, std::uint64_t until_ns) {
  if (forks_.size() < kMaxForks) {
    forks_.push_back({from_ns, until_ns});
  } else {
    has_more_forks_ = true;
  }
}

void UnrecordedList::stretch_over_forks() {
  // Each may be a fork of one before it.
  std::ranges::sort(forks_, {}, &Fork::from_ns);
  for (trace::Unrecorded& entry : entries_) {
    if (!entry.is_bounded()) {
      continue;
    }
    if (has_more_forks_) {
      entry.until_ns = entry.most_bytes = 0;
      continue;
    }
    for (const Fork& fork : forks_) {
      if (fork.from_ns <= entry.until_ns && fork.until_ns > entry.until_ns) {
        const std::uint64_t more = most_written_in(fork.until_ns - entry.until_ns);
        entry.most_bytes += std::min(more, UINT64_MAX - entry.most_bytes);
        entry.until_ns = fork.until_ns;
      }
    }
  }
  forks_.clear();
}

std::uint64_t UnrecordedList::count(trace::WhyUnrecorded why) const {
  std::uint64_t total = 0;
  for (const trace::Unrecorded& entry : entries_) {
    total += entry.why == why ? entry.processes : 0;
  }
  return total;
}

}  // namespace tidemark
