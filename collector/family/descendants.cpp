#include "collector/family/descendants.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/proc_file.hpp"
#include "collector/process/process_memory.hpp"
#include "collector/process/process_names.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark {
namespace {

using trace::WhyUnrecorded;

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kMinPauseNs = 1 * kMillisecond;
constexpr std::uint64_t kMaxPauseNs = 1000 * kMillisecond;
/// Looks take one part of so many of the time,
constexpr std::uint64_t kTimeParts = 100;
/// and so much for each image, whose start took more.
constexpr std::int64_t kImageCreditNs = 200'000;
/// What they did not take is kept for later, up to this: much happens at once when programs start.
constexpr std::int64_t kMaxCreditNs = 5 * std::int64_t{kMillisecond};
/// How long a program may take to its first claim: its loader runs before.
constexpr std::uint64_t kStartNs = 200 * kMillisecond;

std::uint64_t pid_namespace_of(pid_t pid) {
  struct stat space {};
  return ::stat(proc_path(pid, "ns/pid").c_str(), &space) == 0 ? space.st_ino
                                                               : HostSearch::kUnknownNamespace;
}

/// Also where its main thread alone has ended: then the memory may go on.
bool has_left_process(pid_t pid) {
  const auto stat = read_process_stat(pid);
  return !stat || stat->is_ending();
}

}  // namespace

Descendants::Descendants(SessionEntrance entrance, int memory)
    : entrance_(std::move(entrance)), memory_key_(mapped_file_key(memory)), self_(getpid()) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  session_began_ns_ = clock_ns(CLOCK_BOOTTIME);
  credit_ns_ = kMaxCreditNs;
  std::vector<pid_t> to_visit{self_};
  while (!to_visit.empty()) {
    const pid_t pid = to_visit.back();
    to_visit.pop_back();
    visit_children(pid, true, to_visit);
  }
  tasks_.has_moved();
}

Descendants::~Descendants() {
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void Descendants::begin(pid_t root, std::uint64_t now_ns) {
  clock_origin_ns_ = clock_ns(CLOCK_MONOTONIC) - now_ns;
  boot_origin_ns_ = clock_ns(CLOCK_BOOTTIME) - now_ns;
  tasks_.prove();
  add(root, false);
}

void Descendants::visit_members(const std::function<void(pid_t)>& visit) const {
  for (const auto& [pid, member] : members_) {
    visit(pid);
  }
}

void Descendants::reap(pid_t root, const std::function<void(pid_t)>& last_look) {
  siginfo_t ended{};
  while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 && ended.si_pid != 0 &&
         ended.si_pid != root) {
    last_look(ended.si_pid);
    if (!members_.contains(ended.si_pid)) {
      const auto orphan = Process::open(ended.si_pid);
      unrecorded_.note_fork(orphan != nullptr ? began_at(*orphan) : 0, now());
    }
    waitpid(ended.si_pid, nullptr, WNOHANG | __WALL);
    ended = {};
  }
}

// ---- looking ----

void Descendants::look(std::uint64_t now_ns) {
  credit_ns_ = std::min(kMaxCreditNs,
                        credit_ns_ + static_cast<std::int64_t>((now_ns - asked_ns_) / kTimeParts));
  asked_ns_ = now_ns;
  read_execs();
  if (now_ns < due_ns_ || credit_ns_ < 0) {
    return;
  }
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  look_at_all(now_ns);
  credit_ns_ -= static_cast<std::int64_t>(clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
  due_ns_ = now_ns + kMinPauseNs;
}

std::uint64_t Descendants::patience_ns() const {
  constexpr std::uint64_t kLivelyNs = 20 * kMillisecond;
  const bool is_lively = now_ns_ < image_began_ns_ + kLivelyNs;
  return is_lively && credit_ns_ > 0 ? kMinPauseNs : kMaxPauseNs;
}

/// Of the session, like the times of records.
std::uint64_t Descendants::now() const {
  return clock_ns(CLOCK_MONOTONIC) - clock_origin_ns_;
}

void Descendants::look_at_all(std::uint64_t now_ns) {
  // Time passes between the two: the smallest difference that was seen is the nearest to the true
  // one.
  clock_origin_ns_ = std::min(clock_origin_ns_, clock_ns(CLOCK_MONOTONIC) - now_ns);
  now_ns_ = now_ns;
  judge_ended();
  note_ends();
  // Asked in any case: it counts from here on.
  if (tasks_.has_moved() || must_sweep_) {
    must_sweep_ = false;
    sweep();
  }
  for (auto& [pid, member] : members_) {
    refresh(member);
  }
  ++looks_;
}

void Descendants::note_ends() {
  for (auto& [pid, member] : members_) {
    if (!member.has_ended && member.process->has_ended()) {
      end(member);
    }
  }
}

void Descendants::end(Member& member) {
  // While nobody has waited for it, it still says whether it was another program in the end.
  const auto stat = read_process_stat(member.process->pid());
  if (stat && stat->start_ticks == member.process->start_ticks() && member.image.is_forked &&
      !stat->is_forked_only()) {
    close_image(member);
    begin_image(member, *stat);
  }
  close_image(member);
  member.has_ended = true;
  must_sweep_ = true;  // its children have moved to somebody else
}

/// Goes through the whole family. Who has ended is forgotten once somebody has waited for it.
void Descendants::sweep() {
  for (auto& [pid, member] : members_) {
    member.is_listed = false;
  }
  std::vector<pid_t> to_visit{self_};
  while (!to_visit.empty()) {
    const pid_t pid = to_visit.back();
    to_visit.pop_back();
    visit_children(pid, false, to_visit);
  }
  std::erase_if(members_, [](const auto& entry) {
    const Member& member = entry.second;
    if (!member.has_ended || member.is_listed) {
      return false;
    }
    const auto stat = read_process_stat(entry.first);
    return !stat || stat->start_ticks != member.process->start_ticks();
  });
}

void Descendants::search() {
  has_open_claims_ = false;
  // Twice, as one whose brother is waited for at that moment may be missing in a list.
  sweep();
  sweep();
}

void Descendants::visit_children(pid_t pid, bool is_stranger, std::vector<pid_t>& to_visit) {
  const auto parent = members_.find(pid);
  is_stranger = is_stranger || (parent != members_.end() && parent->second.is_stranger);
  for (const pid_t child : children_of(pid)) {
    Member* member = add(child, is_stranger);
    if (member == nullptr || member->is_listed) {
      continue;
    }
    member->is_listed = true;
    member->parent = pid;
    if (!member->has_ended) {
      to_visit.push_back(child);
    }
  }
}

/// @return null when it is gone.
Descendants::Member* Descendants::add(pid_t pid, bool is_stranger) {
  const auto known = members_.find(pid);
  if (known != members_.end() && !known->second.has_ended) {
    return &known->second;
  }
  ProcessStat stat;
  auto process = Process::open(pid, &stat);
  return process != nullptr ? add(std::move(process), stat, is_stranger) : nullptr;
}

Descendants::Member* Descendants::add(std::shared_ptr<const Process> process,
                                      const ProcessStat& stat,
                                      bool is_stranger) {
  const pid_t pid = process->pid();
  if (const auto known = members_.find(pid); known != members_.end()) {
    if (known->second.process->start_ticks() == process->start_ticks()) {
      return &known->second;  // nobody has waited for it yet
    }
    members_.erase(known);
  }
  // Without its numbers nobody could tell its claim from another one's: gone before they were read
  // is as good as gone before it was seen. Nothing is hidden by that: it is not among
  // `programs_seen_`, so whoever recorded the exec that led to it goes on waiting for it, and
  // nothing accounts for the exec that the kernel has told.
  std::vector<pid_t> pids = read_pids(pid);
  if (pids.empty()) {
    return nullptr;
  }
  Member member;
  member.process = std::move(process);
  member.parent = stat.parent;
  member.is_stranger = is_stranger;
  member.pids = std::move(pids);
  member.pid_namespace = member.pids.size() > 1 ? pid_namespace_of(pid) : 0;
  has_namespaces_ = has_namespaces_ || (!is_stranger && member.pids.size() > 1);
  begin_image(member, stat);
  return &members_.emplace(pid, std::move(member)).first->second;
}

// ---- images ----

void Descendants::begin_image(Member& member, const ProcessStat& stat) {
  Image image;
  image.seen_ns = now();
  image.life = LifeBound(began_at(*member.process));
  image.pause_ns = kMinPauseNs;
  image.is_forked = stat.is_forked_only();
  image.facts.command = '(' + stat.name + ')';
  image.programs = member.programs;
  image.programs->seen += image.is_forked ? 0 : 1;
  if (!member.is_stranger) {
    image.watch = ImageWatch(member.process->pid());
    image_began_ns_ = image.seen_ns;
    credit_ns_ = std::min(kMaxCreditNs, credit_ns_ + kImageCreditNs);
  }
  const auto parent = members_.find(stat.parent);
  if (image.is_forked && parent != members_.end()) {
    Image& origin = parent->second.image;
    // It may have come into the session since the last look, before it forked.
    origin.has_session =
        is_unrecorded(origin) ? origin.watch.maps_file(memory_key_) : origin.has_session;
    image.is_of_unrecorded = is_unrecorded(origin);
    if (image.is_of_unrecorded) {
      image.facts = origin.facts;
    }
  }
  if (member.spare_claims != 0) {
    --member.spare_claims;
    image.is_claimed = true;
  }
  if (!image.is_forked) {
    programs_seen_[member.process->pid()] = image.seen_ns;
  }
  member.image = std::move(image);
}

/// Of the session; rounded down.
std::uint64_t Descendants::began_at(const Process& process) const {
  static const auto ticks_in_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  const std::uint64_t start_ns = process.start_ticks() * (1'000'000'000 / ticks_in_second);
  return start_ns - std::min(start_ns, boot_origin_ns_);
}

bool Descendants::is_unrecorded(const Image& image) {
  return !image.is_claimed && !image.has_session && (image.was_looked_at || image.is_of_unrecorded);
}

void Descendants::close_image(Member& member) {
  if (!member.is_stranger) {
    ended_.push_back({member.process, member.parent, member.pids, member.pid_namespace,
                      std::move(member.image), looks_, now()});
  }
  member.image = Image();
}

void Descendants::refresh(Member& member) {
  if (member.has_ended || member.is_stranger) {
    return;
  }
  const bool is_alive = member.image.watch.is_alive();
  if (is_alive && now_ns_ < member.image.next_look_ns) {
    return;
  }
  const auto stat = read_process_stat(member.process->pid());
  if (!stat || stat->is_ending()) {
    // Or its main thread alone: then the image goes on, and may have come into the session
    // meanwhile.
    Image& image = member.image;
    image.has_session = image.has_session || (is_alive && image.watch.maps_file(memory_key_));
    put_off_next_look(image);
    return;
  }
  // A vfork child has its parent's address space until its exec, so that says nothing of the exec.
  if (!is_alive || (member.image.is_forked && !stat->is_forked_only())) {
    close_image(member);
    begin_image(member, *stat);
  }
  look_at(member);
}

/// Less and less often: what an image is shows soon.
void Descendants::put_off_next_look(Image& image) const {
  image.next_look_ns = now_ns_ + image.pause_ns;
  image.pause_ns = std::min(2 * image.pause_ns, kMaxPauseNs);
}

void Descendants::look_at(Member& member) {
  Image& image = member.image;
  put_off_next_look(image);
  const pid_t pid = member.process->pid();
  if (!image.watch.is_open()) {
    image.watch = ImageWatch(pid);
  }
  if (image.has_session && !image.is_claimed && !image.is_forked && !image.was_looked_at) {
    image.facts.command = read_command(pid);  // of one that found no room, it seems
    image.was_looked_at = true;
  }
  image.has_session = image.has_session || image.watch.maps_file(memory_key_);
  if (image.has_session || image.is_claimed) {
    return;
  }
  const std::uint64_t looked_ns = now();
  auto memory = ProcessMemory::open(pid);
  const auto sample = memory ? memory->read() : std::nullopt;
  auto facts = look_at_image(pid, entrance_);
  // Only of this image. A fork has what its parent has: nothing is known of it where its memory
  // may not be looked through.
  if (facts && image.watch.is_alive() && (image.watch.is_open() || !image.is_forked)) {
    has_left_watch_ = has_left_watch_ || facts->why == WhyUnrecorded::kSetId;
    image.facts = std::move(*facts);
    image.was_looked_at = true;
    if (sample) {
      image.life.see(looked_ns, sample->high_water_bytes);
    }
  }
}

// ---- judging ----

void Descendants::judge_ended() {
  std::erase_if(ended_, [&](const EndedImage& ended) {
    if (ended.look == looks_ || has_open_claims_) {
      return false;
    }
    judge(ended.process->pid(), ended.image, ended.until_ns);
    return true;
  });
  std::erase_if(programs_seen_, [&](const auto& seen) {
    constexpr std::uint64_t kKeptNs = 60'000 * kMillisecond;
    return seen.second + kKeptNs < now_ns_ && !members_.contains(seen.first);
  });
}

void Descendants::judge(pid_t pid, const Image& image, std::uint64_t until_ns) {
  if (image.is_claimed) {
    return;
  }
  const auto account = [&] {
    if (exec_watch_.is_open() && !image.is_forked) {
      execs_.known(pid, image.seen_ns);
    }
  };
  trace::Unrecorded entry{.pid = static_cast<std::uint32_t>(pid),
                          .command = image.facts.command,
                          .why = image.facts.why,
                          .from_ns = image.life.from_ns(),
                          .until_ns = until_ns,
                          .most_bytes = image.life.most_bytes(until_ns)};
  // Every program takes a place at its start. A fork does so with its first allocation only, if
  // there ever is one.
  const bool could_be_refused =
      !image.is_forked && refused_ > unrecorded_.count(WhyUnrecorded::kTooMany);
  if (could_be_refused && (image.has_session || !image.was_looked_at)) {
    entry.why = WhyUnrecorded::kTooMany;
    unrecorded_.add(std::move(entry));
    account();
    return;
  }
  const Programs& programs = *image.programs;
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
  if (entry.why == WhyUnrecorded::kUnknown && now_ns_ < image.seen_ns + kStartNs) {
    entry.why = WhyUnrecorded::kEndedEarly;
  }
  // Each of its process's programs came into the session; this one so after it was looked at.
  const bool may_have_claimed = entry.why == WhyUnrecorded::kEndedEarly ||
                                (!keeps_out(entry.why) && programs.last_claim_ns >= image.seen_ns);
  if (may_have_claimed && !image.is_forked && programs.claims >= programs.seen) {
    return;
  }
  unrecorded_.add(std::move(entry));
  account();
}

// ---- execs that the kernel tells ----

void Descendants::read_execs() {
  if (!exec_watch_.is_open()) {
    return;
  }
  exec_watch_.read([&](Exec exec) {
    exec.at_ns -= std::min(exec.at_ns, clock_origin_ns_);
    execs_.told(std::move(exec));
  });
  execs_.settle();
  execs_.look_for_ends([this] { return now(); }, [](pid_t pid) { return has_ended(pid); });
}

/// After all images were judged. What is left over was gone before anybody looked.
void Descendants::judge_execs() {
  read_execs();
  const auto goes_on = [&](const Exec& exec) { return last_look_ns_ < exec.at_ns + kStartNs; };
  for (const auto& [exec, gone_ns] : execs_.take_missing(goes_on)) {
    const bool may_be_refused = refused_ > unrecorded_.count(WhyUnrecorded::kTooMany);
    const std::uint64_t until_ns = gone_ns != 0 ? gone_ns : now();
    unrecorded_.add({.pid = static_cast<std::uint32_t>(exec.pid),
                     .command = '(' + exec.name + ')',
                     .why = may_be_refused ? WhyUnrecorded::kTooMany : WhyUnrecorded::kEndedEarly,
                     .from_ns = exec.at_ns,
                     .until_ns = until_ns,
                     .most_bytes = LifeBound(exec.at_ns).most_bytes(until_ns)});
    missing_programs_.insert(exec.pid);
  }
}

void Descendants::give_up_program(pid_t pid,
                                  std::uint64_t since_ns,
                                  std::uint64_t from_ns,
                                  std::uint64_t until_ns) {
  const bool is_told = are_execs_watched() ||
                       (pid != 0 && (execs_.has_open(pid) || missing_programs_.contains(pid)));
  if (is_told || (pid != 0 && has_seen_program(pid, since_ns))) {
    return;  // it is judged there
  }
  if (until_ns == 0 && pid != 0 && has_ended(pid)) {
    until_ns = now();
  }
  unrecorded_.add({.pid = static_cast<std::uint32_t>(pid),
                   .why = WhyUnrecorded::kEndedEarly,
                   .from_ns = from_ns,
                   .until_ns = until_ns,
                   .most_bytes = until_ns != 0 ? LifeBound(from_ns).most_bytes(until_ns) : 0});
}

void Descendants::look_once_more(std::uint64_t now_ns) {
  must_sweep_ = true;
  look_at_all(now_ns);
  read_execs();
  last_look_ns_ = now_ns;
  execs_.note_ends(has_left_process);
}

void Descendants::finish(std::uint64_t now_ns, std::uint64_t refused) {
  set_refused(refused);
  must_sweep_ = true;
  look_at_all(now_ns);
  judge_ended();
  // What begins just now is no loss yet: it goes on after the session, or has ended after it.
  const auto is_starting = [&](const Image& image) {
    return image.facts.why == WhyUnrecorded::kUnknown && now_ns_ < image.seen_ns + kStartNs;
  };
  for (const EndedImage& ended : ended_) {
    if (!is_starting(ended.image)) {
      judge(ended.process->pid(), ended.image, ended.until_ns);
    }
  }
  for (const auto& [pid, member] : members_) {
    if (!member.has_ended && !member.is_stranger && !is_starting(member.image)) {
      judge(pid, member.image, now());
    }
  }
  ended_.clear();
  judge_execs();
  if (const std::uint64_t named = unrecorded_.count(WhyUnrecorded::kTooMany); refused_ > named) {
    unrecorded_.add({.why = WhyUnrecorded::kTooMany, .processes = refused_ - named});
  }
}

// ---- questions ----

std::size_t Descendants::alive() const {
  return static_cast<std::size_t>(std::ranges::count_if(members_, [](const auto& entry) {
    return !entry.second.has_ended && !entry.second.is_stranger;
  }));
}

bool Descendants::has_left() {
  note_ends();
  if (alive() != 0) {
    return false;
  }
  // Somebody may have been started by one that has just ended.
  sweep();
  return alive() == 0;
}

bool Descendants::has_seen_program(pid_t pid, std::uint64_t since_ns) const {
  const auto seen = programs_seen_.find(pid);
  return seen != programs_seen_.end() && seen->second >= since_ns;
}

pid_t Descendants::find_child(pid_t parent, pid_t own_pid) const {
  for (const auto& [pid, member] : members_) {
    if (member.parent == parent && member.pids.back() == own_pid) {
      return pid;
    }
  }
  return 0;
}

}  // namespace tidemark
