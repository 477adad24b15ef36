/// What the collector knows of one process image while it lives.
#pragma once

#include "collector/drain/hosts/awaited_programs.hpp"
#include "collector/drain/hosts/host_tables.hpp"
#include "collector/family/descendants.hpp"
#include "collector/process/process.hpp"
#include "collector/process/process_memory.hpp"
#include "collector/trace/types/event.hpp"
#include "collector/trace/types/heap_event.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark {

/// One claim of a process slot.
///
/// It is bound to a process of this machine once that is found, if ever. The image ends before its
/// last record is read, so its end has three irreversible steps: nothing of the image can run any
/// more (`is_dead`), its rings are read, its end is in the trace (`has_ended`).
class Host {
 public:
  /// `session` and `stacks` stay borrowed.
  Host(const wire::SessionMap& session,
       std::uint32_t slot,
       std::uint32_t generation,
       std::uint64_t begin_ns,
       StackStore& stacks);

  [[nodiscard]] std::uint32_t slot() const { return slot_; }  ///< Its ProcessSlot.
  [[nodiscard]] std::uint32_t generation() const { return generation_; }
  /// It began by a fork: it runs its parent's image.
  [[nodiscard]] bool is_forked() const { return is_forked_; }
  /// Its pid and its parent's in its own pid namespace, from its slot.
  [[nodiscard]] std::uint32_t own_pid() const { return own_pid_; }
  [[nodiscard]] std::uint32_t own_parent() const { return own_parent_; }
  /// wire::ProcessSlot::identity.
  [[nodiscard]] std::uint64_t identity() const { return identity_; }
  /// wire::ProcessSlot::forked_from, and ::faults_before_fork.
  [[nodiscard]] const wire::ProcessClaim& forked_from() const { return forked_from_; }
  [[nodiscard]] std::uint64_t faults_before_fork() const { return faults_before_fork_; }

  /// Takes the result of a search: the process, or that it may still be found.
  void settle(const HostSearch& found);
  /// If it is not found yet, it counts as ended.
  void stop_search() { is_sought_ = false; }
  /// Its process may still be found.
  [[nodiscard]] bool is_sought() const { return is_sought_; }
  /// Null while unknown, or if it had ended before it was searched for.
  [[nodiscard]] const Process* process() const { return process_.get(); }
  /// As in HostSearch.
  [[nodiscard]] std::uint64_t pid_namespace() const { return pid_namespace_; }
  /// The pid on this machine is included only if it is certain.
  [[nodiscard]] ProcessNumbers numbers() const;

  /// Its entry in the trace, with pids of this machine once it is bound.
  [[nodiscard]] const trace::Process& facts() const { return facts_; }
  [[nodiscard]] trace::ProcessId id() const { return id_; }
  void set_id(trace::ProcessId id) { id_ = id; }
  void set_parent(const Host& parent) { facts_.parent = trace::index(parent.id_); }
  void set_command(std::string command) { facts_.command = std::move(command); }
  void set_executable(std::string path) { facts_.executable = std::move(path); }
  /// Keeps the maximum.
  void note_own_bytes(std::uint64_t bytes);
  void note_kernel_peak(std::uint64_t rss_bytes);
  /// Keeps the last value.
  void note_rss_at_most(std::uint64_t bytes) { facts_.rss_at_most_bytes = bytes; }

  [[nodiscard]] const trace::LaneTotals& totals() const { return totals_; }
  /// Updates the peaks of the lane and of the footprint.
  void grow(trace::Lane lane, std::uint64_t bytes, std::uint64_t at_ns) {
    totals_[lane] += bytes;
    facts_.lane_peaks[lane] = std::max(facts_.lane_peaks[lane], totals_[lane]);
    if (totals_.footprint() > facts_.peak.footprint()) {
      facts_.peak = totals_;
      facts_.peak_at_ns = at_ns;
    }
  }
  void shrink(trace::Lane lane, std::uint64_t bytes) { totals_[lane] -= bytes; }
  /// The same for a run of heap allocations and releases, which was highest at `highest_ns`.
  void change_heap(const trace::HeapChange& change, std::uint64_t highest_ns) {
    const std::uint64_t before = totals_[trace::Lane::kHeap];
    totals_[trace::Lane::kHeap] = before + static_cast<std::uint64_t>(change.highest);
    grow(trace::Lane::kHeap, 0, highest_ns);
    totals_[trace::Lane::kHeap] = before + static_cast<std::uint64_t>(change.total);
  }

  /// Current ProcessStat::faults, or the final count. None if it is gone and neither a wait nor its
  /// exec has reported them.
  [[nodiscard]] std::optional<std::uint64_t> faults() const;
  /// A wait has reported its final count.
  void set_last_faults(std::uint64_t faults) { last_faults_ = faults; }
  /// Faults of children that it has waited for, which a wait for it includes in its count.
  [[nodiscard]] std::uint64_t waited_faults() const { return waited_faults_; }
  void add_waited_faults(std::uint64_t faults) { waited_faults_ += faults; }

  /// Its image ended during a look: then nothing is in memory, which does not show what was there
  /// before.
  [[nodiscard]] bool has_gone_meanwhile() const { return memory_ && !memory_->is_same_image(); }
  /// Its resident memory; null while no process is known, and once the image is gone.
  [[nodiscard]] ProcessMemory* memory() { return memory_ ? &*memory_ : nullptr; }
  /// Closes `memory` once its image is gone.
  void look_at_image();

  /// It has called exec, which has not failed so far.
  /// @param faults ProcessStat::faults before it; 0: unknown.
  void begin_exec(std::uint64_t at_ns, std::uint64_t faults);
  void exec_failed() { execs_ = false; }
  [[nodiscard]] bool execs() const { return execs_; }
  [[nodiscard]] std::uint64_t exec_at_ns() const { return exec_at_ns_; }

  /// Sets `is_dead` once nothing of its image can run.
  void look_for_death();
  /// Its last record was made.
  [[nodiscard]] bool is_dead() const { return is_dead_; }
  /// Its end is in the trace, and it holds nothing any more.
  void end(std::uint64_t at_ns);
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  /// A thread to stand for the process: the first.
  [[nodiscard]] trace::ThreadId first_thread() const;

  HostTables tables;
  HostSampling sampling;

 private:
  [[nodiscard]] bool is_image_gone() const;

  std::uint32_t slot_;
  std::uint32_t generation_;
  std::uint32_t own_pid_;
  std::uint32_t own_parent_;
  std::uint64_t identity_;
  wire::ProcessClaim forked_from_;
  std::uint64_t faults_before_fork_;
  bool is_forked_;
  bool is_sought_ = false;
  bool is_guess_ = false;
  std::shared_ptr<const Process> process_;
  std::uint64_t pid_namespace_ = 0;
  trace::ProcessId id_{0};
  trace::Process facts_;
  trace::LaneTotals totals_;
  std::optional<ProcessMemory> memory_;
  std::optional<std::uint64_t> last_faults_;
  std::uint64_t waited_faults_ = 0;
  bool is_image_gone_ = false;  // Seen to have ended, or to be replaced by an exec.
  bool is_dead_ = false;
  bool has_ended_ = false;
  bool execs_ = false;
  std::uint64_t exec_at_ns_ = 0;
  std::uint64_t exec_faults_ = 0;
};

/// Live hosts, and ended ones with unread records.
using HostList = std::vector<std::unique_ptr<Host>>;

}  // namespace tidemark
