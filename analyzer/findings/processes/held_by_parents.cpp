#include "analyzer/findings/processes/held_by_parents.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// By mapping: a walk back through the trace does not know the file.
std::unordered_map<trace::AllocationNumber, std::uint64_t> mapped_files(LoadedTrace& trace,
                                                                        const Instant& until) {
  std::unordered_map<trace::AllocationNumber, std::uint64_t> files;
  for (std::size_t block = 0; block <= until.block && block < trace.blocks().size(); ++block) {
    const trace::BlockDigest* const digest = trace.digest(block);
    const auto* const events =
        digest != nullptr && !digest->has_others ? nullptr : trace.events(block);
    if (events == nullptr) {
      continue;
    }
    for (const trace::Event& event : *events) {
      if (event.lane != trace::Lane::kFile) {
        continue;
      }
      if (event.kind == trace::EventKind::kAllocate) {
        files[event.allocation] = event.extra;
      } else if (event.kind == trace::EventKind::kReallocate) {
        const auto moved = files.find(event.released);
        files[event.allocation] = moved != files.end() ? moved->second : UINT64_MAX;
      }
    }
  }
  return files;
}

}  // namespace

HeldByParents::HeldByParents(const Evidence& evidence, const std::vector<trace::ProcessId>& forked)
    : evidence_(evidence), model_(evidence.load, evidence.trace.definitions()) {
  const std::vector<Fork> forks = forks_of(forked);
  if (!forks.empty()) {
    files_ = mapped_files(evidence.trace, forks.back().at);
  }
  for (std::span<const Fork> rest = forks; !rest.empty();) {
    const auto next = rest.first(std::min(rest.size(), kMaxSpanInstants));
    walk(next);
    rest = rest.subspan(next.size());
  }
}

/// In order.
std::vector<HeldByParents::Fork> HeldByParents::forks_of(
    const std::vector<trace::ProcessId>& forked) const {
  const auto& processes = evidence_.trace.definitions().processes;
  std::vector<Fork> forks;
  for (const trace::ProcessId process : forked) {
    forks.push_back(
        {.at = {.at_ns = processes[trace::index(process)].begin_ns}, .process = process});
  }
  // Sorted, so that a block of the trace is decoded once.
  std::ranges::stable_sort(forks, {}, [](const Fork& fork) { return fork.at.at_ns; });
  for (Fork& fork : forks) {
    fork.at = evidence_.trace.instant_at(fork.at.at_ns);
  }
  std::ranges::stable_sort(forks, {}, [](const Fork& fork) { return position(fork.at); });
  return forks;
}

void HeldByParents::walk(std::span<const Fork> forks) {
  const auto& processes = evidence_.trace.definitions().processes;
  std::vector<Instant> instants;
  std::unordered_map<std::uint32_t, Parent> parents;
  for (const Fork& fork : forks) {
    Parent& parent = parents[processes[trace::index(fork.process)].parent];
    parent.instants.push_back(instants.size());
    parent.changes.resize(parent.instants.size() + 1);
    instants.push_back(fork.at);
  }
  visit_live_spans(evidence_.trace, instants, [&](const LiveSpan& span) {
    const auto process = evidence_.trace.process_of(span.allocation.thread);
    const auto parent = process ? parents.find(trace::index(*process)) : parents.end();
    if (parent != parents.end()) {
      add(span, parent->second);
    }
  });
  for (const auto& [process, parent] : parents) {
    HeldAtFork held;
    for (std::size_t i = 0; i < parent.instants.size(); ++i) {
      held += parent.changes[i];
      held_[forks[parent.instants[i]].process] = held;
    }
  }
}

void HeldByParents::add(const LiveSpan& span, Parent& parent) const {
  std::uint64_t HeldAtFork::*const part = part_of(span.allocation);
  if (part == nullptr) {
    return;
  }
  const auto change_at = [&](std::size_t instant) -> std::uint64_t& {
    const auto at = std::ranges::lower_bound(parent.instants, instant) - parent.instants.begin();
    return parent.changes[static_cast<std::size_t>(at)].*part;
  };
  change_at(span.first) += span.bytes;
  change_at(span.end) -= span.bytes;
}

/// Null if it counts nowhere.
std::uint64_t HeldAtFork::*HeldByParents::part_of(const trace::Event& allocation) const {
  if (allocation.lane != trace::Lane::kFile) {
    return trace::in_footprint(allocation.lane) ? &HeldAtFork::memory : nullptr;
  }
  const auto& files = evidence_.trace.definitions().files;
  const auto known = files_.find(allocation.allocation);
  const std::uint64_t file = known != files_.end() ? known->second : UINT64_MAX;
  if (model_.contains(file)) {
    return &HeldAtFork::model;
  }
  return file < files.size() && files[file].executable ? nullptr : &HeldAtFork::other_files;
}

}  // namespace tidemark::analyzer
