#include "collector/family/members/claim_finder.hpp"

#include <algorithm>
#include <tuple>

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

/// False if the session's memory is seen not to be mapped, or can never be. An image that was still
/// starting when it was looked at has made no claim before that.
bool may_have_claimed(const HostClaim& claim, const FamilyImage& image) {
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
bool has_replaced(const HostClaim& claim, const FamilyImage& image) {
  return (claim.is_forked && !image.is_forked) || (image.watch.is_open() && !image.has_session &&
                                                   !image.is_claimed && image.watch.is_alive());
}

}  // namespace

HostSearch ClaimFinder::find(const HostClaim& claim) {
  // No process in our own namespace has a parent outside of it.
  has_claim_below_ = has_claim_below_ || claim.parent == 0;
  HostSearch search;
  if (FamilyMember* member = find_member(claim)) {
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

/// In our own namespace a number without a process is enough: the process has ended. The first
/// process of another namespace has a parent of 0, and its children call that process 1.
bool ClaimFinder::is_surely_here(const HostClaim& claim) const {
  if (claim.parent == 0 || (claim.parent == 1 && roster_.self() != 1)) {
    return false;
  }
  if (!has_namespaces() || claim.parent == roster_.self()) {
    return true;
  }
  const auto is_parent = [&](const auto& entry) {
    const auto& pids = entry.second.pids;
    return pids.size() > 1 && pids.back() == claim.parent;
  };
  return roster_.members().contains(claim.parent) &&
         std::ranges::none_of(roster_.members(), is_parent);
}

FamilyMember* ClaimFinder::find_member(const HostClaim& claim) {
  FamilyMember* best = roster_.add_relative(claim.pid);
  for (auto& [pid, member] : roster_.members()) {
    if (is_it(claim, *member.process) && !member.is_stranger && !member.has_ended) {
      return &member;
    }
  }
  if (best != nullptr && (best->pids.size() > 1 || !suits(claim, *best))) {
    best = nullptr;
  }
  if (!has_namespaces()) {
    return best;
  }
  for (auto& [pid, member] : roster_.members()) {
    if (&member == best || member.pids.back() != claim.pid || !suits(claim, member)) {
      continue;
    }
    // Two that could have made it: a claim comes soon after a start.
    const auto fit = [&](const FamilyMember& one) {
      return std::tuple(!one.process->has_ended(), has_parent(claim, one),
                        one.process->start_ticks());
    };
    best = best == nullptr || fit(member) > fit(*best) ? &member : best;
  }
  return best;
}

bool ClaimFinder::suits(const HostClaim& claim, FamilyMember& member) {
  if (member.has_ended || member.is_stranger || is_another(claim, *member.process) ||
      !clock_.began_before(*member.process, claim.at_ns)) {
    return false;
  }
  if (!has_namespaces()) {
    return true;
  }
  if (member.pids.size() > 1 && !claim.is_searched && member.process->has_ended()) {
    return false;
  }
  // An image claims one place. Has an exec begun the next one?
  roster_.look_again_at(member);
  const FamilyImage& image = member.image;
  if (claim.is_forked != image.is_forked) {
    // An exec has begun the next image since, or an image that was never looked at before its end.
    return claim.is_forked || member.process->has_ended();
  }
  return may_have_claimed(claim, image);
}

bool ClaimFinder::has_parent(const HostClaim& claim, const FamilyMember& member) const {
  const auto parent = roster_.members().find(member.parent);
  if (parent == roster_.members().end()) {
    return member.parent == roster_.self() && claim.parent == roster_.self();
  }
  const auto& pids = parent->second.pids;
  const std::size_t level = member.pids.size() - 1;
  return claim.parent == (pids.size() > level ? pids[level] : 0);
}

/// Which image of the process made the claim? The one that runs, or one before it whose claim comes
/// only now. Each makes one.
void ClaimFinder::claim_image(const HostClaim& claim, FamilyMember& member) {
  if (claim.is_forked && member.image.is_forked && !member.image.is_claimed) {
    member.image.is_claimed = true;
    return;
  }
  if (!member.image.has_session || member.image.is_claimed) {
    roster_.look_again_at(member);  // an exec may have begun the next one
  }
  FamilyImage* unseen = nullptr;
  for (EndedImage& ended : roster_.ended()) {
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
  FamilyImage& image = member.image;
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

/// Compares the numbers, for a claim whose process is not certain.
bool ClaimFinder::may_be(const HostClaim& claim, const EndedImage& ended) const {
  return ended.pids.back() == claim.pid && !is_another(claim, *ended.process) &&
         (ended.pids.size() == 1 || claim.is_searched) &&
         clock_.began_before(*ended.process, claim.at_ns);
}

/// A claim of a process that has ended.
ClaimFinder::EndedClaim ClaimFinder::claim_ended(const HostClaim& claim) {
  EndedImage* best = nullptr;
  std::tuple<bool, bool, bool, std::uint64_t> best_fit;
  for (EndedImage& ended : roster_.ended()) {
    const bool is_its_process = is_it(claim, *ended.process);
    if (!is_its_process && !may_be(claim, ended)) {
      continue;
    }
    const FamilyImage& image = ended.image;
    // If the image that made the claim was never seen, takes one of those that began alike: one
    // that has not made all its claims, and the last one, as claims come in their order.
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
