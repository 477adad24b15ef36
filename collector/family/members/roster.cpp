#include "collector/family/members/roster.hpp"

#include "collector/process/proc_file.hpp"
#include "collector/process/process_memory.hpp"
#include "collector/process/process_names.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace tidemark {
namespace {

using trace::WhyUnrecorded;

std::uint64_t pid_namespace_of(pid_t pid) {
  struct stat space {};
  return ::stat(proc_path(pid, "ns/pid").c_str(), &space) == 0 ? space.st_ino
                                                               : HostSearch::kUnknownNamespace;
}

}  // namespace

Roster::Roster(SessionEntrance entrance, int memory, FamilyClock& clock, LookPace& pace)
    : entrance_(std::move(entrance)),
      memory_key_(mapped_file_key(memory)),
      self_(getpid()),
      clock_(clock),
      pace_(pace) {
  std::vector<pid_t> to_visit{self_};
  while (!to_visit.empty()) {
    const pid_t pid = to_visit.back();
    to_visit.pop_back();
    visit_children(pid, true, to_visit);
  }
  tasks_.has_moved();
}

void Roster::begin(pid_t root) {
  tasks_.prove();
  add(root, false);
}

void Roster::look(std::uint64_t now_ns) {
  now_ns_ = now_ns;
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

void Roster::note_ends() {
  for (auto& [pid, member] : members_) {
    if (!member.has_ended && member.process->has_ended()) {
      end(member);
    }
  }
}

void Roster::end(FamilyMember& member) {
  // Until its parent waits for it, it still shows whether it was another program in the end.
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

void Roster::sweep() {
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
    const FamilyMember& member = entry.second;
    if (!member.has_ended || member.is_listed) {
      return false;
    }
    const auto stat = read_process_stat(entry.first);
    return !stat || stat->start_ticks != member.process->start_ticks();
  });
}

void Roster::visit_children(pid_t pid, bool is_stranger, std::vector<pid_t>& to_visit) {
  const auto parent = members_.find(pid);
  is_stranger = is_stranger || (parent != members_.end() && parent->second.is_stranger);
  for (const pid_t child : children_of(pid)) {
    FamilyMember* member = add(child, is_stranger);
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
FamilyMember* Roster::add(pid_t pid, bool is_stranger) {
  const auto known = members_.find(pid);
  if (known != members_.end() && !known->second.has_ended) {
    return &known->second;
  }
  ProcessStat stat;
  auto process = Process::open(pid, &stat);
  return process != nullptr ? add(std::move(process), stat, is_stranger) : nullptr;
}

FamilyMember* Roster::add(std::shared_ptr<const Process> process,
                          const ProcessStat& stat,
                          bool is_stranger) {
  const pid_t pid = process->pid();
  if (const auto known = members_.find(pid); known != members_.end()) {
    if (known->second.process->start_ticks() == process->start_ticks()) {
      return &known->second;  // nobody has waited for it yet
    }
    members_.erase(known);
  }
  // Without its numbers its claim could not be distinguished from another one's: gone before they
  // were read is treated as gone before it was seen. That hides nothing: it is not among
  // `programs_seen_`, so the host that recorded the exec leading to it still waits for it, and the
  // exec that the kernel reported stays unaccounted for.
  std::vector<pid_t> pids = read_pids(pid);
  if (pids.empty()) {
    return nullptr;
  }
  FamilyMember member;
  member.process = std::move(process);
  member.parent = stat.parent;
  member.is_stranger = is_stranger;
  member.pids = std::move(pids);
  member.pid_namespace = member.pids.size() > 1 ? pid_namespace_of(pid) : 0;
  has_namespaces_ = has_namespaces_ || (!is_stranger && member.pids.size() > 1);
  begin_image(member, stat);
  return &members_.emplace(pid, std::move(member)).first->second;
}

void Roster::begin_image(FamilyMember& member, const ProcessStat& stat) {
  FamilyImage image;
  image.seen_ns = clock_.now();
  image.life = LifeBound(clock_.began_at(*member.process));
  image.pause_ns = kMinLookPauseNs;
  image.is_forked = stat.is_forked_only();
  image.facts.command = '(' + stat.name + ')';
  image.programs = member.programs;
  image.programs->seen += image.is_forked ? 0 : 1;
  if (!member.is_stranger) {
    image.watch = ImageWatch(member.process->pid());
    pace_.image_began(image.seen_ns);
  }
  const auto parent = members_.find(stat.parent);
  if (image.is_forked && parent != members_.end()) {
    FamilyImage& origin = parent->second.image;
    // It may have come into the session since the last look, before it forked.
    origin.has_session =
        origin.is_unrecorded() ? origin.watch.maps_file(memory_key_) : origin.has_session;
    image.is_of_unrecorded = origin.is_unrecorded();
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

void Roster::close_image(FamilyMember& member) {
  if (!member.is_stranger) {
    ended_.push_back({member.process, member.parent, member.pids, member.pid_namespace,
                      std::move(member.image), looks_, clock_.now()});
  }
  member.image = FamilyImage();
}

void Roster::refresh(FamilyMember& member) {
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
    FamilyImage& image = member.image;
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
void Roster::put_off_next_look(FamilyImage& image) const {
  image.next_look_ns = now_ns_ + image.pause_ns;
  image.pause_ns = std::min(2 * image.pause_ns, kMaxLookPauseNs);
}

void Roster::look_at(FamilyMember& member) {
  FamilyImage& image = member.image;
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
  if (image.has_session && image.is_forked && !image.is_claimed) {
    look_at_bare_fork(member);
  }
  if (image.has_session || image.is_claimed) {
    return;
  }
  const std::uint64_t looked_ns = clock_.now();
  auto memory = ProcessMemory::open(pid);
  const auto sample = memory ? memory->read() : std::nullopt;
  auto facts = look_at_image(pid, entrance_);
  // It may have attached since its mappings were read, and then have set the very limit, or emptied
  // the environment, that now looks like the reason why it could not.
  image.has_session =
      facts && facts->why != WhyUnrecorded::kUnknown && image.watch.maps_file(memory_key_);
  if (image.has_session) {
    return;
  }
  // Only of this image. A fork has what its parent has: nothing is known of it where its memory
  // may not be looked through.
  if (facts && image.watch.is_alive() && (image.watch.is_open() || !image.is_forked)) {
    has_seen_set_id_ = has_seen_set_id_ || facts->why == WhyUnrecorded::kSetId;
    image.facts = std::move(*facts);
    image.was_looked_at = true;
    if (sample) {
      image.life.see(looked_ns, sample->high_water_bytes);
    }
  }
}

/// A process forked through libc takes a slot at once, and one made by vfork has its parent's
/// memory until its exec.
void Roster::look_at_bare_fork(FamilyMember& member) {
  const pid_t pid = member.process->pid();
  const auto parent = members_.find(member.parent);
  const bool has_parent = parent != members_.end() && !parent->second.has_ended;
  const std::uint64_t looked_ns = clock_.now();
  if (has_parent && share_memory(pid, member.parent) != std::optional(false)) {
    return;
  }
  FamilyImage& image = member.image;
  if (++image.bare_looks == 1) {
    return;
  }
  if (const auto memory = read_memory_rollup(pid)) {
    image.bare_bytes = std::max(image.bare_bytes, memory->own_anon_at_most_bytes);
    image.life.see(looked_ns, image.bare_bytes);
  }
  // What it writes after its last look is never seen. So looks do not become rarer, but come as
  // often as their cost allows: each goes through all of its pages.
  constexpr std::uint64_t kPausesInLooks = 100;
  image.pause_ns =
      std::clamp(kPausesInLooks * (clock_.now() - looked_ns), kMinBarePauseNs, kMaxLookPauseNs);
  image.next_look_ns = now_ns_ + image.pause_ns;
  if (image.facts.executable.empty()) {
    image.facts.command = read_command(pid);
    image.facts.executable = read_executable(pid);
  }
}

void Roster::look_again_at(FamilyMember& member) {
  member.image.next_look_ns = 0;
  refresh(member);
}

FamilyMember* Roster::add_relative(pid_t pid) {
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

void Roster::take_ended(const std::function<void(const EndedImage&)>& judge) {
  std::erase_if(ended_, [&](const EndedImage& ended) {
    if (ended.look == looks_) {
      return false;
    }
    judge(ended);
    return true;
  });
}

void Roster::forget_programs(std::uint64_t now_ns) {
  std::erase_if(programs_seen_, [&](const auto& seen) {
    constexpr std::uint64_t kKeptNs = 60'000'000'000;
    return seen.second + kKeptNs < now_ns && !members_.contains(seen.first);
  });
}

std::size_t Roster::alive() const {
  return static_cast<std::size_t>(std::ranges::count_if(members_, [](const auto& entry) {
    return !entry.second.has_ended && !entry.second.is_stranger;
  }));
}

bool Roster::has_seen_program(pid_t pid, std::uint64_t since_ns) const {
  const auto seen = programs_seen_.find(pid);
  return seen != programs_seen_.end() && seen->second >= since_ns;
}

pid_t Roster::find_child(pid_t parent, pid_t own_pid) const {
  for (const auto& [pid, member] : members_) {
    if (member.parent == parent && member.pids.back() == own_pid) {
      return pid;
    }
  }
  return 0;
}

}  // namespace tidemark
