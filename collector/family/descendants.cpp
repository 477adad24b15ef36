#include "collector/family/descendants.hpp"

#include "collector/os/clocks.hpp"

#include <ctime>
#include <utility>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace tidemark {
namespace {

/// From here on, orphans below this process become its children.
SessionEntrance as_reaper(SessionEntrance entrance) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  return entrance;
}

}  // namespace

Descendants::Descendants(SessionEntrance entrance, int memory)
    : roster_(as_reaper(std::move(entrance)), memory, clock_, pace_),
      claims_(roster_, clock_),
      execs_(clock_),
      judge_(clock_, execs_) {}

Descendants::~Descendants() {
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void Descendants::begin(pid_t root, std::uint64_t now_ns) {
  clock_.begin(now_ns);
  roster_.begin(root);
}

void Descendants::look(std::uint64_t now_ns) {
  const bool is_due = pace_.is_due(now_ns);
  execs_.read();
  if (!is_due) {
    return;
  }
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  look_at_all(now_ns);
  pace_.looked(now_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
}

void Descendants::look_at_all(std::uint64_t now_ns) {
  clock_.see(now_ns);
  now_ns_ = now_ns;
  judge_ended();
  roster_.look(now_ns);
}

void Descendants::judge_ended() {
  // An image for which there is an open claim is no loss.
  if (!claims_.has_open_claims()) {
    roster_.take_ended([this](const EndedImage& ended) {
      judge_.judge(ended.process->pid(), ended.image, ended.until_ns, now_ns_);
    });
  }
  roster_.forget_programs(now_ns_);
}

void Descendants::search() {
  claims_.close_claims();
  // Twice, as one whose brother is waited for at that moment may be missing in a list.
  roster_.sweep();
  roster_.sweep();
}

void Descendants::reap(pid_t root, const std::function<void(pid_t)>& last_look) {
  siginfo_t ended{};
  while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 && ended.si_pid != 0 &&
         ended.si_pid != root) {
    last_look(ended.si_pid);
    if (!roster_.members().contains(ended.si_pid)) {
      const auto orphan = Process::open(ended.si_pid);
      judge_.note_fork(orphan != nullptr ? clock_.began_at(*orphan) : 0, clock_.now());
    }
    waitpid(ended.si_pid, nullptr, WNOHANG | __WALL);
    ended = {};
  }
}

void Descendants::visit_members(const std::function<void(pid_t)>& visit) const {
  for (const auto& [pid, member] : roster_.members()) {
    visit(pid);
  }
}

HostSearch Descendants::find(const HostClaim& claim) {
  HostSearch search = claims_.find(claim);
  execs_.note_claim(claim, search);
  return search;
}

void Descendants::give_up_program(pid_t pid,
                                  std::uint64_t since_ns,
                                  std::uint64_t from_ns,
                                  std::uint64_t until_ns) {
  const bool is_judged_there = are_execs_watched() || execs_.is_told(pid) ||
                               (pid != 0 && roster_.has_seen_program(pid, since_ns));
  if (!is_judged_there) {
    judge_.give_up(pid, from_ns, until_ns);
  }
}

bool Descendants::has_left() {
  roster_.note_ends();
  if (alive() != 0) {
    return false;
  }
  // Somebody may have been started by one that has just ended.
  roster_.sweep();
  return alive() == 0;
}

void Descendants::look_once_more(std::uint64_t now_ns) {
  roster_.sweep_next();
  look_at_all(now_ns);
  execs_.note_last_look(now_ns);
}

void Descendants::finish(std::uint64_t now_ns, const RefusalCounts& refused) {
  judge_.set_refused(refused);
  roster_.sweep_next();
  look_at_all(now_ns);
  judge_ended();
  // A program that begins just now is no loss yet: it goes on after the session, or has ended after
  // it.
  const auto is_starting = [&](const FamilyImage& image) {
    return image.facts.why == trace::WhyUnrecorded::kUnknown &&
           now_ns_ < image.seen_ns + kFirstClaimNs;
  };
  for (const EndedImage& ended : roster_.ended()) {
    if (!is_starting(ended.image)) {
      judge_.judge(ended.process->pid(), ended.image, ended.until_ns, now_ns_);
    }
  }
  for (const auto& [pid, member] : roster_.members()) {
    if (!member.has_ended && !member.is_stranger && !is_starting(member.image)) {
      judge_.judge(pid, member.image, clock_.now(), now_ns_);
    }
  }
  roster_.ended().clear();
  judge_.judge_execs();
  judge_.add_refused_without_name();
}

}  // namespace tidemark
