#include "collector/process/process_facts.hpp"

#include "collector/process/proc_file.hpp"

#include <charconv>
#include <sstream>
#include <string_view>

#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tidemark {
namespace {

// linux/sched.h; they are part of what /proc/PID/stat shows.
constexpr std::uint64_t kExiting = 0x4;
constexpr std::uint64_t kForkedOnly = 0x40;  // PF_FORKNOEXEC

/// The words after `key` ("\nUid:") on its line.
std::istringstream words_of(const std::string& status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string::npos) {
    return std::istringstream();
  }
  const std::size_t begin = at + key.size();
  return std::istringstream(status.substr(begin, status.find('\n', begin) - begin));
}

/// Inode of the pid namespace; 0 if access is denied.
std::uint64_t pid_namespace_of(const std::string& process) {
  struct stat space {};
  return ::stat(("/proc/" + process + "/ns/pid").c_str(), &space) == 0 ? space.st_ino : 0;
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
  // proc(5) counts fields from 1, and the state is the third one.
  constexpr std::size_t kState = 3;
  constexpr std::size_t kParent = 4;
  constexpr std::size_t kFlags = 9;
  constexpr std::size_t kMinorFaults = 10;
  constexpr std::size_t kReapedMinorFaults = 11;
  constexpr std::size_t kMajorFaults = 12;
  constexpr std::size_t kStart = 22;
  std::size_t at = close + 1;
  for (std::size_t field = kState; field <= kStart; ++field) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string::npos) {
      return std::nullopt;
    }
    const char* begin = text.data() + at;
    const char* end = text.data() + text.size();
    if (field == kState) {
      stat.state = *begin;
    } else if (field == kParent) {
      std::from_chars(begin, end, stat.parent);
    } else if (field == kFlags) {
      std::from_chars(begin, end, stat.flags);
    } else if (field == kMinorFaults || field == kMajorFaults) {
      std::uint64_t faults = 0;
      std::from_chars(begin, end, faults);
      stat.faults += faults;
    } else if (field == kReapedMinorFaults) {
      std::from_chars(begin, end, stat.reaped_faults);
    } else if (field == kStart) {
      std::from_chars(begin, end, stat.start_ticks);
    }
    at = text.find(' ', at);
  }
  return stat;
}

std::vector<pid_t> read_pids(pid_t pid) {
  static const std::uint64_t own = pid_namespace_of("self");
  if (own != 0 && pid_namespace_of(std::to_string(pid)) == own) {
    return {pid};
  }
  const auto status = read_process_status(pid);
  return status ? status->pids : std::vector<pid_t>();
}

std::optional<ProcessStatus> read_process_status(pid_t pid) {
  return parse_process_status(read_proc(pid, "status", 8192), pid);
}

std::optional<ProcessStatus> parse_process_status(const std::string& text, pid_t pid) {
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
  if (status.pids.back() == 0) {
    return std::nullopt;  // reaped while this was read: its pids are free
  }
  return status;
}

std::optional<bool> share_memory(pid_t one, pid_t other) {
  const long order = ::syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0);
  return order < 0 ? std::nullopt : std::optional(order == 0);
}

}  // namespace tidemark
