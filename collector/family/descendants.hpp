/// Every process that a session has started, seen from outside: what is recorded of each one, and
/// what is not.
#pragma once

#include "collector/family/exec_ledger.hpp"
#include "collector/family/exec_watch.hpp"
#include "collector/family/image_watch.hpp"
#include "collector/family/life_bound.hpp"
#include "collector/family/unrecorded_list.hpp"
#include "collector/family/why_unrecorded.hpp"
#include "collector/process/process.hpp"
#include "collector/process/process_facts.hpp"
#include "collector/process/process_tree.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark {

/// What a process says of itself when it takes its place in a session.
struct HostClaim {
  pid_t pid = 0;     ///< As its own pid namespace calls it.
  pid_t parent = 0;  ///< The same of its parent; 0: that one is outside of the namespace.
  /// wire::ProcessSlot::identity: where both it and Process::identity are known, who it was is no
  /// question.
  std::uint64_t identity = 0;
  bool is_forked = false;  ///< Made by a fork that has not seen an exec.
  std::uint64_t at_ns = 0;
  /// `search` came after the claim. Before, somebody who has ended is not taken for the one who
  /// made it where a living one may have: in pid namespaces the same numbers come again at once.
  bool is_searched = false;
};

/// Which process of this machine made a claim.
struct HostSearch {
  enum class State {
    kFound,
    kNotYet,  ///< To be asked again after `search`.
    kGone,    ///< It has ended, and nothing more is known of it.
  };
  static constexpr std::uint64_t kUnknownNamespace = ~std::uint64_t{0};
  State state = State::kGone;
  std::shared_ptr<const Process> process;
  pid_t parent = 0;  ///< As we call it.
  /// The kernel's number of its pid namespace; 0: it is in ours.
  std::uint64_t pid_namespace = kUnknownNamespace;
  /// Another one that had ended may have made it as well: the image that made the claim was never
  /// seen.
  bool is_guess = false;
  bool is_image_gone = false;  ///< What made the claim was replaced by an exec since.
};

/// The family below this process. It makes itself the reaper of orphans (PR_SET_CHILD_SUBREAPER),
/// so nobody leaves the family, however many times he forks; orphans that have ended are waited for
/// here. Children of this process from before the session, and theirs, are no part of it.
///
/// A look goes through the lists of children where anything was started, and at the images of all
/// that is known, with every pass (so every 5 ms at least), and less often where that would take
/// more than a hundredth of the time and a fifth of a millisecond for each image. An image (what a
/// fork or an exec begins) is recorded if it made a claim or has the session's memory mapped; if it
/// ends without, it is unrecorded. That is judged one look later, when what it had written before
/// its end is surely read. An image that lives for less than the time between two looks may be
/// missed. Where the kernel tells all execs (ExecWatch), such a program is counted all the same, by
/// its name; elsewhere the exec records of hosts make up for most of these.
///
/// Times are of the session, in ns. One thread.
class Descendants {
 public:
  /// @param memory the session's memory, which recorded processes map.
  /// To be made before the session's first process is.
  Descendants(SessionEntrance entrance, int memory);
  ~Descendants();
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

  /// To be called while the session's first process stands before its first exec.
  void watch_execs(pid_t root) { exec_watch_.open(root); }
  /// The session's first process was started.
  /// @param now_ns in this very moment.
  void begin(pid_t root, std::uint64_t now_ns);

  /// Ends, starts and images since the last look. Cheap when it is not due.
  /// @param now_ns in this very moment. What was recorded before the look before must be read.
  void look(std::uint64_t now_ns);
  /// How long the next look should be away at most. Short where something was started just now:
  /// it may be gone soon, or start more.
  [[nodiscard]] std::uint64_t patience_ns() const;
  /// The next look is due at once.
  void hurry() { due_ns_ = 0; }
  /// Finds everybody in the family, due or not: whoever is not found after that has ended.
  void search();

  /// Waits for orphans that have ended, but not for `root`.
  /// @param last_look is called for each before it is gone.
  void reap(pid_t root, const std::function<void(pid_t)>& last_look);
  /// Calls `visit` for every member that has not been waited for, as far as the last look knows.
  void visit_members(const std::function<void(pid_t)>& visit) const;

  /// Who made the claim. What it is found for counts as recorded.
  HostSearch find(const HostClaim& claim);
  /// The child of `parent` that calls itself `own_pid`, as we call it; 0: not known.
  [[nodiscard]] pid_t find_child(pid_t parent, pid_t own_pid) const;

  /// A host has started a program as `pid` (0: not known) that has not come into the session: it is
  /// unrecorded, unless it was seen since, or the kernel tells what began.
  /// @param from_ns when it was asked for.
  /// @param until_ns when the process was seen to be gone; 0: not known.
  void give_up_program(pid_t pid,
                       std::uint64_t since_ns,
                       std::uint64_t from_ns,
                       std::uint64_t until_ns);

  /// Members that are alive, as far as the last look knows.
  [[nodiscard]] std::size_t alive() const;
  /// The whole family has ended. Looks anew.
  bool has_left();

  /// What program a recorded process runs.
  void note_executable(const std::string& path);
  /// Every exec of the session has been told by the kernel so far.
  [[nodiscard]] bool are_execs_watched() const {
    return !has_left_watch_ && exec_watch_.is_complete();
  }

  /// A look that is due in any case: the last one before the session ends.
  void look_once_more(std::uint64_t now_ns);
  /// Judges what has ended, and what goes on without being recorded: the session ends now.
  /// @param refused processes that found no room in the session.
  void finish(std::uint64_t now_ns, std::uint64_t refused);
  /// @param refused the same, so far.
  void set_refused(std::uint64_t refused) { refused_ = refused; }

  UnrecordedList& unrecorded() { return unrecorded_; }

 private:
  /// Of one process: its programs, as far as they were seen, and their claims. Which claim is whose
  /// may be mistaken where they follow each other within a look; their numbers are not.
  struct Programs {
    unsigned seen = 0;
    unsigned claims = 0;
    std::uint64_t last_claim_ns = 0;

    void note(const HostClaim& claim) {
      claims += claim.is_forked ? 0 : 1;
      last_claim_ns = claim.is_forked ? last_claim_ns : claim.at_ns;
    }
  };
  /// What a fork or an exec begins.
  struct Image {
    ImageWatch watch;
    ImageFacts facts;
    std::shared_ptr<Programs> programs;  ///< Of its process.
    LifeBound life;
    std::uint64_t seen_ns = 0;
    std::uint64_t next_look_ns = 0;
    std::uint64_t pause_ns = 0;
    bool is_forked = false;         ///< The one that the process was born with.
    bool is_of_unrecorded = false;  ///< A fork of an image that is not recorded.
    bool was_looked_at = false;     ///< `facts` are its own.
    bool has_session = false;       ///< The session's memory is mapped in it.
    bool is_claimed = false;        ///< It took a place in the session.
  };
  struct Member {
    std::shared_ptr<const Process> process;
    pid_t parent = 0;
    std::vector<pid_t> pids;          ///< As ProcessStatus has them, never empty.
    std::uint64_t pid_namespace = 0;  ///< As HostSearch has it.
    std::shared_ptr<Programs> programs = std::make_shared<Programs>();
    Image image;
    unsigned spare_claims = 0;  ///< Made by images that have not shown themselves yet.
    bool is_stranger = false;   ///< From before the session.
    bool has_ended = false;     ///< And somebody may have yet to wait for it.
    bool is_listed = false;     ///< In the sweep at hand.
  };
  struct EndedImage {
    std::shared_ptr<const Process> process;
    pid_t parent = 0;
    std::vector<pid_t> pids;
    std::uint64_t pid_namespace = 0;
    Image image;
    std::uint64_t look = 0;      ///< The one that found it.
    std::uint64_t until_ns = 0;  ///< When it was found to have ended.
  };
  struct EndedClaim {
    const EndedImage* ended = nullptr;  ///< Null: it is none that is known.
    bool is_guess = false;              ///< See HostSearch.
  };

  [[nodiscard]] std::uint64_t now() const;
  void look_at_all(std::uint64_t now_ns);
  void note_ends();
  void end(Member& member);
  void sweep();
  void visit_children(pid_t pid, bool is_stranger, std::vector<pid_t>& to_visit);
  Member* add(pid_t pid, bool is_stranger);
  Member* add(std::shared_ptr<const Process> process, const ProcessStat& stat, bool is_stranger);
  void begin_image(Member& member, const ProcessStat& stat);
  void close_image(Member& member);
  void refresh(Member& member);
  void put_off_next_look(Image& image) const;
  void look_at(Member& member);
  void judge_ended();
  void judge(pid_t pid, const Image& image, std::uint64_t until_ns);
  [[nodiscard]] std::uint64_t began_at(const Process& process) const;
  static bool is_unrecorded(const Image& image);
  void note_claim(const HostClaim& claim, const HostSearch& search);
  void read_execs();
  void judge_execs();
  [[nodiscard]] bool has_seen_program(pid_t pid, std::uint64_t since_ns) const;
  HostSearch find_host(const HostClaim& claim);

  Member* find_member(const HostClaim& claim);
  Member* add_relative(pid_t pid);
  [[nodiscard]] bool is_surely_here(const HostClaim& claim) const;
  bool suits(const HostClaim& claim, Member& member);
  static bool may_have_claimed(const HostClaim& claim, const Image& image);
  static bool has_replaced(const HostClaim& claim, const Image& image);
  [[nodiscard]] bool has_parent(const HostClaim& claim, const Member& member) const;
  [[nodiscard]] bool began_before(const Process& process, std::uint64_t at_ns) const;
  void claim_image(const HostClaim& claim, Member& member);
  [[nodiscard]] bool may_be(const HostClaim& claim, const EndedImage& ended) const;
  EndedClaim claim_ended(const HostClaim& claim);

  const SessionEntrance entrance_;
  const std::string memory_key_;
  const pid_t self_;
  std::unordered_map<pid_t, Member> members_;
  std::vector<EndedImage> ended_;  ///< Not judged yet.
  std::unordered_map<pid_t, std::uint64_t>
      programs_seen_;  ///< By pid: its last exec that was seen.
  ExecWatch exec_watch_;
  ExecLedger execs_;                            ///< Empty while the watch is not open.
  std::unordered_set<pid_t> missing_programs_;  ///< Of execs.
  bool has_left_watch_ = false;                 ///< A process for which the kernel has ended it.
  TaskCounter tasks_;
  UnrecordedList unrecorded_;
  std::uint64_t refused_ = 0;
  std::uint64_t session_began_ns_ = 0;  ///< CLOCK_BOOTTIME.
  std::uint64_t clock_origin_ns_ = 0;   ///< CLOCK_MONOTONIC, when the session's time was 0.
  std::uint64_t boot_origin_ns_ = 0;    ///< CLOCK_BOOTTIME, the same.
  std::uint64_t now_ns_ = 0;            ///< Of the last look.
  std::uint64_t due_ns_ = 0;
  std::uint64_t image_began_ns_ = 0;  ///< The last one, as far as looks know.
  std::uint64_t asked_ns_ = 0;
  std::int64_t credit_ns_ = 0;  ///< Time that looks may take.
  std::uint64_t looks_ = 0;
  std::uint64_t last_look_ns_ = 0;  ///< Of look_once_more.
  bool must_sweep_ = true;
  /// A member was seen, or a claim was made, in a pid namespace below ours.
  bool has_namespaces_ = false;
  /// Somebody's who was not found yet: `search` has to come first.
  bool has_open_claims_ = false;
};

}  // namespace tidemark
