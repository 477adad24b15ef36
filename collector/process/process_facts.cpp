#include "collector/process/process_facts.hpp"

#include "collector/process/proc_file.hpp"

#include <charconv>
#include <sstream>
#include <string_view>

namespace tidemark {
namespace {

// linux/sched.h; they are part of what /proc/PID/stat shows.
constexpr std::uint64_t kExiting = 0x4;
constexpr std::uint64_t kForkedOnly = 0x40;  // PF_FORKNOEXEC

/// The words behind `key` ("\nUid:") on its line.
std::istringstream words_of(const std::string& status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string::npos) {
    return std::istringstream();
  }
  const std::size_t begin = at + key.size();
  return std::istringstream(status.substr(begin, status.find('\n', begin) - begin));
}

}  // namespace

bool ProcessStat::is_forked_only() const {
  return (flags & kForkedOnly) != 0;
}

bool ProcessStat::is_ending() const {
  return state == 'Z' || state == 'X' || (flags & kExiting) != 0;
}

std::optional<ProcessStat> read_process_stat(pid_t pid) {
  const std::string text = read_proc(pid, "stat");
  // The name may hold spaces and parentheses itself.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return std::nullopt;
  }
  ProcessStat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::istringstream fields(text.substr(close + 1));
  std::string skipped;
  fields >> stat.state >> stat.parent;
  constexpr int kBeforeFlags = 4;  // pgrp, session, tty_nr, tpgid
  for (int i = 0; i < kBeforeFlags; ++i) {
    fields >> skipped;
  }
  fields >> stat.flags;
  constexpr int kBeforeStart = 12;  // minflt to itrealvalue
  for (int i = 0; i < kBeforeStart; ++i) {
    fields >> skipped;
  }
  fields >> stat.start_ticks;
  return fields ? std::optional(stat) : std::nullopt;
}

std::optional<ProcessStatus> read_process_status(pid_t pid) {
  const std::string text = read_proc(pid, "status", 8192);
  if (text.empty()) {
    return std::nullopt;
  }
  ProcessStatus status;
  words_of(text, "\nPPid:") >> status.parent;
  words_of(text, "\nUid:") >> status.real_user >> status.effective_user;
  words_of(text, "\nGid:") >> status.real_group >> status.effective_group;
  words_of(text, "\nCapEff:") >> std::hex >> status.capabilities;
  auto numbers = words_of(text, "\nNSpid:");
  for (pid_t number = 0; numbers >> number;) {
    status.pids.push_back(number);
  }
  if (status.pids.empty()) {
    status.pids.push_back(pid);  // a kernel without namespaces
  }
  return status;
}

}  // namespace tidemark
