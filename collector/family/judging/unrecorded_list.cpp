#include "collector/family/judging/unrecorded_list.hpp"

#include "collector/family/members/life_bound.hpp"

#include <algorithm>
#include <utility>

namespace tidemark {
namespace {

/// Entries with a name; the rest of the list is for the sums, one a reason.
constexpr std::size_t kMaxNamed = trace::kMaxUnrecordedEntries - 16;

}  // namespace

void UnrecordedList::add(trace::Unrecorded program, Began began) {
  count_ += program.processes;
  program.command.resize(std::min(program.command.size(), trace::kMaxUnrecordedCommandBytes));
  const bool is_named = program.pid != 0 || !program.command.empty();
  if (is_named && entries_.size() < kMaxNamed) {
    entries_.push_back(std::move(program));
    began_.push_back(began);
    return;
  }
  const auto sum = std::ranges::find_if(entries_, [&](const trace::Unrecorded& entry) {
    return entry.pid == 0 && entry.command.empty() && entry.why == program.why;
  });
  if (sum != entries_.end()) {
    sum->processes += program.processes;
  } else {
    entries_.push_back({.why = program.why, .processes = program.processes});
    began_.push_back(began);
  }
}

void UnrecordedList::note_wait(const WaitedProcess& process) {
  if (process.pid == 0 || wait_count_ == kMaxWaits)
    return;
  ++wait_count_;
  waits_[process.pid].push_back(process);
}

void UnrecordedList::bound_by_waits() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    trace::Unrecorded& entry = entries_[i];
    const auto waits = waits_.find(static_cast<pid_t>(entry.pid));
    if (waits == waits_.end() || entry.processes != 1)
      continue;
    // The number is free for another process only after that.
    const auto wait =
        std::ranges::lower_bound(waits->second, entry.from_ns, {}, &WaitedProcess::at_ns);
    if (wait == waits->second.end())
      continue;
    if (entry.until_ns == 0 || wait->at_ns < entry.until_ns)
      entry.until_ns = wait->at_ns;
    if (began_[i] == Began::kByFork)
      continue;
    std::uint64_t most = entry.most_bytes != 0 ? entry.most_bytes : UINT64_MAX;
    if (wait->cpu_ns != 0)
      most = std::min(most, most_written_by(wait->cpu_ns));
    if (wait->most_resident_bytes != 0 && began_[i] == Began::kByExec)
      most = std::min(most, wait->most_resident_bytes + counted_late());
    entry.most_bytes = most != UINT64_MAX ? most : 0;
  }
  waits_.clear();
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
