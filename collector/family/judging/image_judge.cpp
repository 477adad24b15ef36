#include "collector/family/judging/image_judge.hpp"

#include <string>
#include <utility>

namespace tidemark {

using trace::WhyUnrecorded;

std::optional<WhyUnrecorded> ImageJudge::open_refusal() const {
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    if (refused_[i].count > listed_[i]) {
      return refused_[i].why;
    }
  }
  return std::nullopt;
}

void ImageJudge::add_refused(trace::Unrecorded program, UnrecordedList::Began began) {
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    listed_[i] += refused_[i].why == program.why ? program.processes : 0;
  }
  unrecorded_.add(std::move(program), began);
}

void ImageJudge::judge(pid_t pid,
                       const FamilyImage& image,
                       std::uint64_t until_ns,
                       std::uint64_t now_ns) {
  if (image.is_claimed) {
    return;
  }
  const auto account = [&] {
    if (!image.is_forked) {
      execs_.note_judged(pid, image.seen_ns);
    }
  };
  trace::Unrecorded entry{.pid = static_cast<std::uint32_t>(pid),
                          .command = image.facts.command,
                          .why = image.facts.why,
                          .from_ns = image.life.from_ns(),
                          .until_ns = until_ns,
                          .most_bytes = image.life.most_bytes(until_ns)};
  const auto began =
      image.is_forked ? UnrecordedList::Began::kByFork : UnrecordedList::Began::kByExec;
  // Every program takes a place at its start. What forks without calling fork (clone) does so with
  // its first allocation only, if there ever is one.
  const std::optional<WhyUnrecorded> refusal = open_refusal();
  if (refusal && !image.is_forked && (image.has_session || !image.was_looked_at)) {
    entry.why = *refusal;
    add_refused(std::move(entry), began);
    account();
    return;
  }
  const Programs& programs = *image.programs;
  if (image.is_bare_fork()) {
    entry.why = refusal.value_or(WhyUnrecorded::kBareFork);
    add_refused(std::move(entry), UnrecordedList::Began::kByForkOfRecorded);
    return;
  }
  // Its end came before its claim.
  if (image.has_session && programs.claims < programs.seen) {
    account();
  }
  if (image.has_session) {
    return;
  }
  // A fork that was gone before it could be looked at is what its parent is.
  if (image.is_forked && !image.was_looked_at && !image.is_of_unrecorded) {
    unrecorded_.note_fork(image.life.from_ns(), until_ns);
    return;
  }
  if (entry.why == WhyUnrecorded::kUnknown) {
    entry.why = look_at_executable(image.facts.executable);
  }
  if (entry.why == WhyUnrecorded::kUnknown && now_ns < image.seen_ns + kFirstClaimNs) {
    entry.why = WhyUnrecorded::kEndedEarly;
  }
  // Each of its process's programs came into the session; this one so after it was looked at.
  const bool may_have_claimed = entry.why == WhyUnrecorded::kEndedEarly ||
                                (!keeps_out(entry.why) && programs.last_claim_ns >= image.seen_ns);
  if (may_have_claimed && !image.is_forked && programs.claims >= programs.seen) {
    return;
  }
  unrecorded_.add(std::move(entry), began);
  account();
}

void ImageJudge::judge_execs() {
  execs_.take_missing([this](const ExecLedger::Missing& missing) {
    const Exec& exec = missing.exec;
    const std::uint64_t until_ns = missing.gone_ns != 0 ? missing.gone_ns : clock_.now();
    add_refused({.pid = static_cast<std::uint32_t>(exec.pid),
                 .command = '(' + exec.name + ')',
                 .why = open_refusal().value_or(WhyUnrecorded::kEndedEarly),
                 .from_ns = exec.at_ns,
                 .until_ns = until_ns,
                 .most_bytes = LifeBound(exec.at_ns).most_bytes(until_ns)},
                UnrecordedList::Began::kByExec);
  });
}

void ImageJudge::give_up(pid_t pid, std::uint64_t from_ns, std::uint64_t until_ns) {
  if (until_ns == 0 && pid != 0 && has_ended(pid)) {
    until_ns = clock_.now();
  }
  unrecorded_.add({.pid = static_cast<std::uint32_t>(pid),
                   .why = WhyUnrecorded::kEndedEarly,
                   .from_ns = from_ns,
                   .until_ns = until_ns,
                   .most_bytes = until_ns != 0 ? LifeBound(from_ns).most_bytes(until_ns) : 0});
}

void ImageJudge::add_refused_without_name() {
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    if (refused_[i].count > listed_[i]) {
      unrecorded_.add({.why = refused_[i].why, .processes = refused_[i].count - listed_[i]});
    }
  }
}

}  // namespace tidemark
