#include "collector/family/judging/exec_ledger.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark {
namespace {

/// Times of claims are the processors' ticks, those of execs the kernel's clock: what a program's
/// loader takes before its claim is longer than they are apart.
constexpr std::uint64_t kSlackNs = 100'000;

const auto time_of = [](const auto& entry) { return entry.exec.at_ns; };

}  // namespace

void ExecLedger::told(Exec exec) {
  Account& account = accounts_[exec.pid];
  account.last_exec_ns = std::max(account.last_exec_ns, exec.at_ns);
  account.execs.push_back({std::move(exec)});
}

void ExecLedger::recorded(pid_t pid, std::uint64_t at_ns) {
  (pid == 0 ? unknown_ : accounts_[pid].recorded).push_back(at_ns);
}

void ExecLedger::forget_unknown(std::uint64_t at_ns) {
  if (const auto found = std::ranges::find(unknown_, at_ns); found != unknown_.end()) {
    unknown_.erase(found);
  }
}

void ExecLedger::known(pid_t pid, std::uint64_t at_ns) {
  accounts_[pid].known.push_back(at_ns);
}

/// Each of `programs` takes the last exec before it.
/// @param by_time of those for which there is none, leaves them; else each takes the first one.
void ExecLedger::settle(Account& account, std::vector<std::uint64_t>& programs, bool by_time) {
  std::ranges::sort(programs);
  std::erase_if(programs, [&](std::uint64_t at_ns) {
    auto& execs = account.execs;
    const auto later = std::ranges::upper_bound(execs, at_ns + kSlackNs, {}, time_of);
    if (execs.empty() || (by_time && later == execs.begin())) {
      return false;
    }
    execs.erase(later == execs.begin() ? later : std::prev(later));
    return true;
  });
}

void ExecLedger::settle() {
  for (auto& [pid, account] : accounts_) {
    std::ranges::sort(account.execs, {}, time_of);
    settle(account, account.recorded, true);
    settle(account, account.known, true);
  }
  std::erase_if(accounts_, [](const auto& entry) {
    const Account& account = entry.second;
    return account.execs.empty() && account.recorded.empty() && account.known.empty();
  });
  if (unknown_.size() >= many_unknown_) {
    settle_unknown();
  }
}

/// All execs in order of time, of all processes.
ExecLedger::Account ExecLedger::take_all() {
  Account all;
  for (auto& [pid, account] : accounts_) {
    std::ranges::move(account.execs, std::back_inserter(all.execs));
    account.execs.clear();
  }
  std::ranges::sort(all.execs, {}, time_of);
  return all;
}

void ExecLedger::settle_unknown() {
  Account all = take_all();
  settle(all, unknown_, true);
  many_unknown_ = std::max(many_unknown_, 2 * unknown_.size());
  for (Entry& entry : all.execs) {
    accounts_[entry.exec.pid].execs.push_back(std::move(entry));
  }
}

void ExecLedger::look_for_ends(const std::function<std::uint64_t()>& now,
                               const std::function<bool(pid_t)>& is_gone) {
  for (auto& [pid, account] : accounts_) {
    for (Entry& entry : account.execs) {
      entry.end.look(entry.exec.at_ns, now, [&, process = pid] { return is_gone(process); });
    }
  }
}

void ExecLedger::note_ends(const std::function<bool(pid_t)>& is_gone) {
  settle();
  for (auto& [pid, account] : accounts_) {
    const bool has_ended = is_gone(pid);
    for (Entry& entry : account.execs) {
      entry.has_ended = has_ended || entry.exec.at_ns < account.last_exec_ns;
    }
  }
}

std::vector<ExecLedger::Missing> ExecLedger::take_missing(
    const std::function<bool(const Exec&)>& goes_on) {
  settle();
  for (auto& [pid, account] : accounts_) {
    settle(account, account.recorded, false);
    settle(account, account.known, false);
    // Claims of other processes that were taken for this one's.
    std::ranges::move(account.recorded, std::back_inserter(unknown_));
  }
  Account all = take_all();
  settle(all, unknown_, true);
  accounts_.clear();
  unknown_.clear();
  std::vector<Missing> missing;
  for (Entry& entry : all.execs) {
    if (entry.has_ended || !goes_on(entry.exec)) {
      missing.push_back({std::move(entry.exec), entry.end.gone_ns()});
    }
  }
  return missing;
}

bool ExecLedger::has_open(pid_t pid) const {
  const auto account = accounts_.find(pid);
  return account != accounts_.end() && !account->second.execs.empty();
}

}  // namespace tidemark
