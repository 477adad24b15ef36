#include "collector/family/judging/exec_account.hpp"

#include "collector/family/members/family_image.hpp"
#include "collector/process/process_facts.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

/// If false, the kernel has ended what others may see of the process, including the watch of its
/// execs. True if not known.
bool is_dumpable(pid_t pid) {
  struct stat folder {};
  if (::stat(("/proc/" + std::to_string(pid)).c_str(), &folder) != 0 ||
      folder.st_uid == ::geteuid()) {
    return true;
  }
  const auto status = read_process_status(pid);
  return !status || status->effective_user == folder.st_uid;
}

/// Also true if only its main thread has ended: then the memory may still be in use.
bool has_left_process(pid_t pid) {
  const auto stat = read_process_stat(pid);
  return !stat || stat->is_ending();
}

}  // namespace

void ExecAccount::read() {
  if (!watch_.is_open()) {
    return;
  }
  watch_.read([&](Exec exec) {
    exec.at_ns = clock_.of_session(exec.at_ns);
    ledger_.told(std::move(exec));
  });
  ledger_.settle();
  ledger_.look_for_ends([this] { return clock_.now(); }, [](pid_t pid) { return has_ended(pid); });
}

void ExecAccount::note_claim(const HostClaim& claim, const HostSearch& search) {
  if (!watch_.is_open() || claim.is_forked) {
    return;
  }
  if (claim.is_searched) {
    ledger_.forget_unknown(claim.at_ns);
  }
  pid_t pid = 0;
  if (search.state == HostSearch::State::kFound && !search.is_guess) {
    pid = search.process->pid();
  } else if (search.state == HostSearch::State::kGone) {
    pid = claim.pid;  // it was in our own namespace
  }
  ledger_.recorded(pid, claim.at_ns);
  has_left_watch_ = has_left_watch_ || (search.process != nullptr && !is_dumpable(pid));
}

void ExecAccount::note_executable(const std::string& path) {
  has_left_watch_ = has_left_watch_ ||
                    (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES);
}

void ExecAccount::note_judged(pid_t pid, std::uint64_t at_ns) {
  if (watch_.is_open()) {
    ledger_.known(pid, at_ns);
  }
}

void ExecAccount::note_last_look(std::uint64_t now_ns) {
  read();
  last_look_ns_ = now_ns;
  ledger_.note_ends(has_left_process);
}

void ExecAccount::take_missing(const std::function<void(const ExecLedger::Missing&)>& visit) {
  read();
  const auto goes_on = [&](const Exec& exec) { return last_look_ns_ < exec.at_ns + kFirstClaimNs; };
  for (const ExecLedger::Missing& missing : ledger_.take_missing(goes_on)) {
    visit(missing);
    missing_.insert(missing.exec.pid);
  }
}

}  // namespace tidemark
