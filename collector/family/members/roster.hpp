/// Looking: which processes are in the family, and which image each of them runs.
#pragma once

#include "collector/family/members/family_clock.hpp"
#include "collector/family/members/family_image.hpp"
#include "collector/family/members/look_pace.hpp"
#include "collector/process/process_facts.hpp"
#include "collector/process/process_tree.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// All processes below this one, as far as the last look knows, and the images that have ended and
/// are not judged yet.
class Roster {
 public:
  /// Processes that are already below this one are strangers.
  /// @param memory the session's memory, which recorded processes map.
  Roster(SessionEntrance entrance, int memory, FamilyClock& clock, LookPace& pace);

  /// The session's first process was started.
  void begin(pid_t root);
  /// Finds ends, starts and images since the last look.
  void look(std::uint64_t now_ns);
  /// Finds only ends.
  void note_ends();
  /// Goes through the whole family. Forgets members that have ended once they are waited for.
  void sweep();
  /// The next look goes through the whole family, whether anything was started or not.
  void sweep_next() { must_sweep_ = true; }
  /// Looks whether the member runs another image by now.
  void look_again_at(FamilyMember& member);
  /// @return null unless it is one of the family. The last look may have been before its start.
  FamilyMember* add_relative(pid_t pid);

  /// Takes out the images that ended before the last look, and calls `judge` for each.
  void take_ended(const std::function<void(const EndedImage&)>& judge);
  /// Programs of processes that ended long ago are not `has_seen_program` any more.
  void forget_programs(std::uint64_t now_ns);

  [[nodiscard]] pid_t self() const { return self_; }
  [[nodiscard]] std::unordered_map<pid_t, FamilyMember>& members() { return members_; }
  [[nodiscard]] const std::unordered_map<pid_t, FamilyMember>& members() const { return members_; }
  [[nodiscard]] std::vector<EndedImage>& ended() { return ended_; }
  [[nodiscard]] std::size_t alive() const;
  /// Our pid for the child of `parent` whose own pid namespace calls it `own_pid`; 0: not known.
  [[nodiscard]] pid_t find_child(pid_t parent, pid_t own_pid) const;
  [[nodiscard]] bool has_seen_program(pid_t pid, std::uint64_t since_ns) const;
  /// A member was seen in a pid namespace below ours.
  [[nodiscard]] bool has_namespaces() const { return has_namespaces_; }
  /// A program that gains privileges was seen: the kernel reports no more execs of its process.
  [[nodiscard]] bool has_seen_set_id() const { return has_seen_set_id_; }

 private:
  void end(FamilyMember& member);
  void visit_children(pid_t pid, bool is_stranger, std::vector<pid_t>& to_visit);
  FamilyMember* add(pid_t pid, bool is_stranger);
  FamilyMember* add(std::shared_ptr<const Process> process,
                    const ProcessStat& stat,
                    bool is_stranger);
  void begin_image(FamilyMember& member, const ProcessStat& stat);
  void close_image(FamilyMember& member);
  void refresh(FamilyMember& member);
  void put_off_next_look(FamilyImage& image) const;
  void look_at(FamilyMember& member);
  void look_at_bare_fork(FamilyMember& member);

  const SessionEntrance entrance_;
  const std::string memory_key_;
  const pid_t self_;
  FamilyClock& clock_;
  LookPace& pace_;
  std::unordered_map<pid_t, FamilyMember> members_;
  std::vector<EndedImage> ended_;  ///< Not judged yet.
  std::unordered_map<pid_t, std::uint64_t>
      programs_seen_;  ///< By pid: its last exec that was seen.
  TaskCounter tasks_;
  std::uint64_t now_ns_ = 0;  ///< Time of the last look.
  std::uint64_t looks_ = 0;
  bool must_sweep_ = true;
  bool has_namespaces_ = false;
  bool has_seen_set_id_ = false;
};

}  // namespace tidemark
