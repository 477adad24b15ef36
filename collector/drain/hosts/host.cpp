#include "collector/drain/hosts/host.hpp"

#include "collector/process/process_facts.hpp"
#include "collector/process/process_names.hpp"

#include <algorithm>

namespace tidemark {

Host::Host(const wire::SessionMap& session,
           std::uint32_t slot,
           std::uint32_t generation,
           std::uint64_t begin_ns,
           StackStore& stacks)
    : tables(StackMap(session, slot, stacks)),
      slot_(slot),
      generation_(generation),
      own_pid_(session.process(slot).pid),
      own_parent_(session.process(slot).parent_pid),
      identity_(session.process(slot).identity),
      forked_from_(session.process(slot).forked_from),
      faults_before_fork_(session.process(slot).faults_before_fork),
      is_forked_(session.process(slot).origin == wire::Origin::kForked) {
  facts_.pid = own_pid_;
  facts_.parent_pid = own_parent_;
  facts_.begin_ns = begin_ns;
}

void Host::settle(const HostSearch& found) {
  is_sought_ = found.state == HostSearch::State::kNotYet;
  pid_namespace_ = found.is_guess ? ProcessNumbers::kUnknownNamespace : found.pid_namespace;
  if (found.state != HostSearch::State::kFound)
    return;
  process_ = found.process;
  is_guess_ = found.is_guess;
  facts_.pid = static_cast<std::uint32_t>(process_->pid());
  facts_.parent_pid = static_cast<std::uint32_t>(found.parent);
  if (facts_.executable.empty())
    facts_.executable = read_executable(process_->pid());
  is_image_gone_ = found.is_image_gone;
  if (!is_image_gone_)
    memory_ = ProcessMemory::open(process_->pid());
}

ProcessNumbers Host::numbers() const {
  const bool is_sure = process_ != nullptr && !is_guess_;
  return {is_sure ? facts_.pid : 0, own_pid_, pid_namespace_, identity_};
}

void Host::note_own_bytes(std::uint64_t bytes) {
  facts_.own_bytes = std::max(facts_.own_bytes, bytes);
}

void Host::note_kernel_peak(std::uint64_t rss_bytes) {
  facts_.kernel_peak_rss_bytes = std::max(facts_.kernel_peak_rss_bytes, rss_bytes);
}

std::optional<std::uint64_t> Host::faults() const {
  // The counts of the kernel and of a wait include the next image.
  if (execs_)
    return exec_faults_ != 0 ? std::optional(exec_faults_) : std::nullopt;
  if (last_faults_)
    return last_faults_;
  const auto stat = process_ != nullptr ? read_process_stat(process_->pid()) : std::nullopt;
  const bool is_it = stat && stat->start_ticks == process_->start_ticks();
  return is_it ? std::optional(stat->faults) : std::nullopt;
}

void Host::look_at_image() {
  if (!memory_ || memory_->is_same_image())
    return;
  is_image_gone_ = true;
  memory_.reset();
}

void Host::begin_exec(std::uint64_t at_ns, std::uint64_t faults) {
  execs_ = true;
  exec_at_ns_ = at_ns;
  exec_faults_ = faults;
}

bool Host::is_image_gone() const {
  if (process_ == nullptr)
    return !is_sought_;
  return is_image_gone_ || process_->has_ended();
}

void Host::look_for_death() {
  is_dead_ = is_dead_ || has_ended_ || is_image_gone();
}

void Host::end(std::uint64_t at_ns) {
  has_ended_ = true;
  totals_ = {};
  facts_.end_ns = at_ns;
}

trace::ThreadId Host::first_thread() const {
  return tables.first_thread.value_or(trace::ThreadId{~std::uint32_t{0}});
}

}  // namespace tidemark
