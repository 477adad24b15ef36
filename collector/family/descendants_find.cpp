// Whose claim is it? A process in a pid namespace of its own calls itself by another number than we
// do, and numbers are given again.

#include "collector/family/descendants.hpp"

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

bool is_known_of_both(const HostClaim& claim, const Process& process) {
  return claim.identity != 0 && process.identity() != 0;
}

bool is_it(const HostClaim& claim, const Process& process) {
  return is_known_of_both(claim, process) && claim.identity == process.identity();
}

bool is_another(const HostClaim& claim, const Process& process) {
  return is_known_of_both(claim, process) && claim.identity != process.identity();
}

/// Else the kernel has ended what others may see of it, the watch of its execs too. True where it
/// is not known.
bool is_dumpable(pid_t pid) {
  struct stat folder {};
  if (::stat(("/proc/" + std::to_string(pid)).c_str(), &folder) != 0 ||
      folder.st_uid == ::geteuid()) {
    return true;
  }
  const auto status = read_process_status(pid);
  return !status || status->effective_user == folder.st_uid;
}

}  // namespace

HostSearch Descendants::find(const HostClaim& claim) {
  HostSearch search = find_host(claim);
  note_claim(claim, search);
  return search;
}

/// For the exec that the claim's program began with.
void Descendants::note_claim(const HostClaim& claim, const HostSearch& search) {
  if (!exec_watch_.is_open() || claim.is_forked) {
    return;
  }
  if (claim.is_searched) {
    execs_.forget_unknown(claim.at_ns);
  }
  pid_t pid = 0;
  if (search.state == HostSearch::State::kFound && !search.is_guess) {
    pid = search.process->pid();
  } else if (search.state == HostSearch::State::kGone) {
    pid = claim.pid;  // it was in our own namespace
  }
  execs_.recorded(pid, claim.at_ns);
  has_left_watch_ = has_left_watch_ || (search.process != nullptr && !is_dumpable(pid));
}

/// Also of a process that is gone already.
void Descendants::note_executable(const std::string& path) {
  has_left_watch_ = has_left_watch_ ||
                    (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES);
}

HostSearch Descendants::find_host(const HostClaim& claim) {
  // Nobody in our own namespace has a parent outside of it.
  has_namespaces_ = has_namespaces_ || claim.parent == 0;
  HostSearch search;
  if (Member* member = find_member(claim)) {
    member->programs->note(claim);
    claim_image(claim, *member);
    search.state = HostSearch::State::kFound;
    search.process = member->process;
    search.parent = member->parent;
    search.is_image_gone = has_replaced(claim, member->image);
    search.pid_namespace = member->pid_namespace;
    return search;
  }
  if (const auto [ended, is_guess] = claim_ended(claim); ended != nullptr) {
    ended->image.programs->note(claim);
    search.state = HostSearch::State::kFound;
    search.process = ended->process;
    search.parent = ended->parent;
    search.pid_namespace = ended->pid_namespace;
    search.is_guess = is_guess;
    return search;
  }
  const bool is_here = is_surely_here(claim);
  search.state = is_here ? HostSearch::State::kGone : HostSearch::State::kNotYet;
  search.pid_namespace = is_here ? 0 : HostSearch::kUnknownNamespace;
  has_open_claims_ =
      has_open_claims_ || (search.state == HostSearch::State::kNotYet && !claim.is_searched);
  return search;
}

/// In our own namespace a number that is nobody's is enough: the process has ended. The first
/// process of another one has a parent of 0, and its children call that one 1.
bool Descendants::is_surely_here(const HostClaim& claim) const {
  if (claim.parent == 0 || (claim.parent == 1 && self_ != 1)) {
    return false;
  }
  if (!has_namespaces_ || claim.parent == self_) {
    return true;
  }
  const auto is_parent = [&](const auto& entry) {
    const auto& pids = entry.second.pids;
    return pids.size() > 1 && pids.back() == claim.parent;
  };
  return members_.contains(claim.parent) && std::ranges::none_of(members_, is_parent);
}

Descendants::Member* Descendants::find_member(const HostClaim& claim) {
  Member* best = add_relative(claim.pid);
  for (auto& [pid, member] : members_) {
    if (is_it(claim, *member.process) && !member.is_stranger && !member.has_ended) {
      return &member;
    }
  }
  if (best != nullptr && (best->pids.size() > 1 || !suits(claim, *best))) {
    best = nullptr;
  }
  if (!has_namespaces_) {
    return best;
  }
  for (auto& [pid, member] : members_) {
    if (&member == best || member.pids.back() != claim.pid || !suits(claim, member)) {
      continue;
    }
    // Two that could have made it: a claim comes soon after a start.
    const auto fit = [&](const Member& one) {
      return std::tuple(!one.process->has_ended(), has_parent(claim, one),
                        one.process->start_ticks());
    };
    best = best == nullptr || fit(member) > fit(*best) ? &member : best;
  }
  return best;
}

/// @return null unless it is one of the family. The last look may have been before its start.
Descendants::Member* Descendants::add_relative(pid_t pid) {
  const auto known = members_.find(pid);
  if (known != members_.end() && !known->second.has_ended) {
    return &known->second;
  }
  ProcessStat stat;
  auto process = Process::open(pid, &stat);
  if (process == nullptr) {
    return nullptr;
  }
  const auto parent = members_.find(stat.parent);
  const bool is_ours = stat.parent == self_ ||
                       (parent != members_.end() && !parent->second.is_stranger) ||
                       ImageWatch(pid).maps_file(memory_key_);
  return is_ours ? add(std::move(process), stat, false) : nullptr;
}

bool Descendants::suits(const HostClaim& claim, Member& member) {
  if (member.has_ended || member.is_stranger || is_another(claim, *member.process) ||
      !began_before(*member.process, claim.at_ns)) {
    return false;
  }
  if (!has_namespaces_) {
    return true;
  }
  if (member.pids.size() > 1 && !claim.is_searched && member.process->has_ended()) {
    return false;
  }
  // An image claims one place. Has an exec begun the next one?
  member.image.next_look_ns = 0;
  refresh(member);
  const Image& image = member.image;
  if (claim.is_forked != image.is_forked) {
    // An exec has begun the next image since, or one that nobody could look at before the end.
    return claim.is_forked || member.process->has_ended();
  }
  return may_have_claimed(claim, image);
}

/// Not where it can be seen that the session's memory is not mapped, nor where it can never be.
/// What was on its way there when it was looked at has made no claim before that.
bool Descendants::may_have_claimed(const HostClaim& claim, const Image& image) {
  if (image.is_claimed || image.has_session) {
    return !image.is_claimed;
  }
  const bool is_unknown = !image.watch.is_open() || !image.watch.is_alive();
  const bool was_on_the_way = image.facts.why != trace::WhyUnrecorded::kUnknown;
  return is_unknown && !keeps_out(image.facts.why) &&
         (!was_on_the_way || claim.at_ns >= image.seen_ns);
}

/// The image came after the one that made the claim: it is no fork any more, or it can be seen that
/// the session's memory is not mapped in it.
bool Descendants::has_replaced(const HostClaim& claim, const Image& image) {
  return (claim.is_forked && !image.is_forked) || (image.watch.is_open() && !image.has_session &&
                                                   !image.is_claimed && image.watch.is_alive());
}

bool Descendants::has_parent(const HostClaim& claim, const Member& member) const {
  const auto parent = members_.find(member.parent);
  if (parent == members_.end()) {
    return member.parent == self_ && claim.parent == self_;
  }
  const auto& pids = parent->second.pids;
  const std::size_t level = member.pids.size() - 1;
  return claim.parent == (pids.size() > level ? pids[level] : 0);
}

/// A number is not given again for longer than all that is rounded here.
bool Descendants::began_before(const Process& process, std::uint64_t at_ns) const {
  static const auto ticks_in_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  constexpr std::uint64_t kSlackNs = 200'000'000;  // also for what lies between two clocks
  const std::uint64_t start_ns = process.start_ticks() * (1'000'000'000 / ticks_in_second);
  return start_ns <= session_began_ns_ + at_ns + kSlackNs;
}

/// Which image of the process made the claim? The one that runs, or one before it whose claim comes
/// only now. Each makes one.
void Descendants::claim_image(const HostClaim& claim, Member& member) {
  if (claim.is_forked && member.image.is_forked && !member.image.is_claimed) {
    member.image.is_claimed = true;
    return;
  }
  if (!member.image.has_session || member.image.is_claimed) {
    member.image.next_look_ns = 0;
    refresh(member);  // an exec may have begun the next one
  }
  Image* unseen = nullptr;
  for (EndedImage& ended : ended_) {
    if (ended.process != member.process || ended.image.is_claimed ||
        ended.image.is_forked != claim.is_forked) {
      continue;
    }
    if (ended.image.has_session) {
      ended.image.is_claimed = true;
      return;
    }
    if (unseen == nullptr && may_have_claimed(claim, ended.image)) {
      unseen = &ended.image;
    }
  }
  Image& image = member.image;
  const bool is_its_kind = !image.is_claimed && image.is_forked == claim.is_forked;
  const bool may_be_of_unseen = unseen != nullptr && claim.at_ns < image.seen_ns;
  if (is_its_kind && !may_be_of_unseen && may_have_claimed(claim, image)) {
    image.is_claimed = true;
  } else if (unseen != nullptr) {
    unseen->is_claimed = true;
  } else if (!is_its_kind && !claim.is_forked) {
    ++member.spare_claims;
  }
}

/// By the numbers, where who made the claim is not known for sure.
bool Descendants::may_be(const HostClaim& claim, const EndedImage& ended) const {
  return ended.pids.back() == claim.pid && !is_another(claim, *ended.process) &&
         (ended.pids.size() == 1 || claim.is_searched) && began_before(*ended.process, claim.at_ns);
}

/// A claim of a process that has ended.
Descendants::EndedClaim Descendants::claim_ended(const HostClaim& claim) {
  EndedImage* best = nullptr;
  std::tuple<bool, bool, bool, std::uint64_t> best_fit;
  for (EndedImage& ended : ended_) {
    const bool is_its_process = is_it(claim, *ended.process);
    if (!is_its_process && !may_be(claim, ended)) {
      continue;
    }
    const Image& image = ended.image;
    // Where the image that made it was never seen, of those that began alike: one that has not made
    // all its claims, and the last one, as claims come in their order.
    const Programs& programs = *image.programs;
    const std::tuple fit(
        is_its_process, image.is_forked == claim.is_forked && may_have_claimed(claim, image),
        programs.seen == 0 || programs.claims < programs.seen, ended.process->start_ticks());
    if (best == nullptr || fit > best_fit) {
      best = &ended;
      best_fit = fit;
    }
  }
  if (best == nullptr) {
    return {};
  }
  const auto& [is_its_process, is_image, may_claim, start] = best_fit;
  best->image.is_claimed = best->image.is_claimed || is_image;
  return {.ended = best, .is_guess = best->pids.size() > 1 && !is_image && !is_its_process};
}

}  // namespace tidemark
