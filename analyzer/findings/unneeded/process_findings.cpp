// Several processes that each have the model for themselves.
//
// `processes`, by blocks: two processes or more have heap blocks, device memory or mappings of
// their own at the peak into which nine tenths of the model came (also later; copies of one another
// count once), or that hold nine tenths of its tensors by their values. The peak is with the
// largest of them alone.
//
// `processes`, by pages written after a fork, as the kernel counts them. The peak is without these.
// - Half of the model must be among them even if all else that the parent had then was written.
// - Or they are as much as the model, to a tenth, and more than the parent had beside it.
// - Or, if the parent has nine tenths of the model mapped, half of the model must be among those of
//   all such processes, with the parent's other mapped files among what may have been written.

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/known_values.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/live/live_spans.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Less of the model is only a part of it, as in processes that split the work.
bool is_whole_model(const Evidence& evidence, std::uint64_t bytes) {
  return static_cast<double>(bytes) >= 0.9 * static_cast<double>(evidence.load.model.bytes);
}

/// A process, and what it has of the model at the peak.
struct Holder {
  struct Stage {
    std::uint64_t born_ns = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t bytes = 0;  ///< In the blocks that the model came into.
  std::vector<std::uint32_t> lives;
  /// How much of the model it has since a block came, in order of time.
  std::vector<Stage> stages;
};

/// What was copied from one block to another counts once: the most at any one distance from the
/// file.
std::vector<Holder::Stage> stages_of(const Evidence& evidence, std::vector<std::uint32_t> lives) {
  const auto& all = evidence.flow.lives();
  std::ranges::stable_sort(lives, {}, [&](std::uint32_t i) { return all[i].born_ns; });
  std::vector<Holder::Stage> stages;
  std::map<std::uint32_t, std::uint64_t> by_depth;
  std::uint64_t most = 0;
  for (const std::uint32_t i : lives) {
    std::uint64_t& bytes = by_depth[all[i].depth];
    bytes += std::min(evidence.flow.size_after(i, evidence.peak - 1), evidence.flow.arrived(i));
    most = std::max(most, bytes);
    stages.push_back({all[i].born_ns, most});
  }
  return stages;
}

/// Bytes of the model in blocks that began before `at_ns`.
std::uint64_t model_bytes(const Holder& holder, std::uint64_t at_ns) {
  const auto later = std::ranges::lower_bound(holder.stages, at_ns, {}, &Holder::Stage::born_ns);
  return later == holder.stages.begin() ? 0 : std::prev(later)->bytes;
}

/// Processes that have read the whole model, or copied it out of what they have read.
std::map<trace::ProcessId, Holder> find_holders(const Evidence& evidence) {
  std::map<trace::ProcessId, Holder> holders;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (life.is_mapping || !life.holds_model() || !life.is_alive_after(evidence.peak) ||
        !trace::in_footprint(life.lane) || life.lane == trace::Lane::kShared) {
      continue;
    }
    Holder& holder = holders[life.process];
    holder.bytes += evidence.flow.size_after(i, evidence.peak - 1);
    holder.lives.push_back(i);
  }
  for (auto& [process, holder] : holders) {
    holder.stages = stages_of(evidence, holder.lives);
  }
  std::erase_if(holders, [&](const auto& entry) {
    return !is_whole_model(evidence, entry.second.stages.back().bytes);
  });
  return holders;
}

/// Processes that have the whole model by values alone: another process may have sent it to them.
std::map<trace::ProcessId, Holder> find_holders_by_values(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::map<trace::ProcessId, Holder> holders;
  std::map<trace::ProcessId, std::map<std::uint32_t, std::uint64_t>> held;  // By tensor.
  for (const BlockByValues& block : known_by_values(evidence)) {
    const BlockLife& life = evidence.flow.lives()[block.life];
    if (life.holds_model() || !trace::in_footprint(life.lane) ||
        life.lane == trace::Lane::kShared) {
      continue;
    }
    Holder& holder = holders[life.process];
    holder.bytes += evidence.flow.size_after(block.life, evidence.peak - 1);
    holder.lives.push_back(block.life);
    for (const auto& [tensor, in_file] : block.parts) {
      held[life.process][tensor] += in_file;
    }
  }
  std::erase_if(holders, [&](const auto& entry) {
    std::uint64_t bytes = 0;
    for (const auto& [tensor, in_file] : held[entry.first]) {
      bytes += std::min(in_file, definitions.tensors[tensor].bytes);
    }
    return !is_whole_model(evidence, bytes);
  });
  return holders;
}

/// A forked process, and what it has written of its parent's memory.
struct Writer {
  trace::ProcessId process{0};
  trace::AllocationNumber allocation = trace::kNoAllocation;
  std::uint64_t bytes = 0;  ///< At the peak.
  trace::StackId stack = trace::kNoStack;
};

/// What a process had at an instant.
struct Held {
  std::uint64_t memory = 0;       ///< Its own memory.
  std::uint64_t model = 0;        ///< Mapped files of the model.
  std::uint64_t other_files = 0;  ///< Other mapped files, except programs and libraries.

  void operator+=(const Held& more) {
    memory += more.memory;
    model += more.model;
    other_files += more.other_files;
  }
};

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

/// What parents had when they were forked, for one walk through the trace.
class HeldByParents {
 public:
  HeldByParents(const Evidence& evidence, const std::vector<Writer>& writers)
      : evidence_(evidence), model_(evidence.load, evidence.trace.definitions()) {
    const std::vector<Fork> forks = forks_of(writers);
    if (!forks.empty()) {
      files_ = mapped_files(evidence.trace, forks.back().at);
    }
    for (std::span<const Fork> rest = forks; !rest.empty();) {
      const auto next = rest.first(std::min(rest.size(), kMaxSpanInstants));
      walk(next);
      rest = rest.subspan(next.size());
    }
  }
  /// What the parent of the writer had.
  [[nodiscard]] const Held& of(const Writer& writer) const { return held_.at(writer.process); }

 private:
  struct Fork {
    Instant at;
    trace::ProcessId process{0};
  };
  /// The forks of one process.
  struct Parent {
    std::vector<std::size_t> instants;  // Those of a walk.
    std::vector<Held> changes;          // Changes from each instant to the next.
  };

  /// In order.
  [[nodiscard]] std::vector<Fork> forks_of(const std::vector<Writer>& writers) const {
    const auto& processes = evidence_.trace.definitions().processes;
    std::vector<Fork> forks;
    for (const Writer& writer : writers) {
      forks.push_back({.at = {.at_ns = processes[trace::index(writer.process)].begin_ns},
                       .process = writer.process});
    }
    // Sorted, so that a block of the trace is decoded once.
    std::ranges::stable_sort(forks, {}, [](const Fork& fork) { return fork.at.at_ns; });
    for (Fork& fork : forks) {
      fork.at = evidence_.trace.instant_at(fork.at.at_ns);
    }
    std::ranges::stable_sort(forks, {}, [](const Fork& fork) { return position(fork.at); });
    return forks;
  }

  void walk(std::span<const Fork> forks) {
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
      Held held;
      for (std::size_t i = 0; i < parent.instants.size(); ++i) {
        held += parent.changes[i];
        held_[forks[parent.instants[i]].process] = held;
      }
    }
  }

  void add(const LiveSpan& span, Parent& parent) const {
    std::uint64_t Held::*const part = part_of(span.allocation);
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
  [[nodiscard]] std::uint64_t Held::*part_of(const trace::Event& allocation) const {
    if (allocation.lane != trace::Lane::kFile) {
      return trace::in_footprint(allocation.lane) ? &Held::memory : nullptr;
    }
    const auto& files = evidence_.trace.definitions().files;
    const auto known = files_.find(allocation.allocation);
    const std::uint64_t file = known != files_.end() ? known->second : UINT64_MAX;
    if (model_.contains(file)) {
      return &Held::model;
    }
    return file < files.size() && files[file].executable ? nullptr : &Held::other_files;
  }

  const Evidence& evidence_;
  ModelFiles model_;
  std::unordered_map<trace::AllocationNumber, std::uint64_t> files_;
  std::map<trace::ProcessId, Held> held_;  // By the forked process.
};

/// To `part` of the model.
bool is_as_much_as_model(const Evidence& evidence, std::uint64_t bytes, std::uint64_t part) {
  const std::uint64_t model = evidence.load.model.bytes;
  return bytes >= model - model / part && bytes <= model + model / part;
}

/// Whether the process, whose parent had the model when it was forked, has written it. What was
/// written is as much as the model to a hundredth, which is no coincidence, and more than the
/// parent had besides; or to a tenth, and more than twice of that; or half of the model must be
/// among it even if all else was written, too.
bool has_written_model(const Evidence& evidence,
                       const std::map<trace::ProcessId, Holder>& holders,
                       const HeldByParents& held,
                       const Writer& writer) {
  if (writer.bytes < evidence.load.model.bytes / 2) {
    return false;
  }
  const trace::Process& forked =
      evidence.trace.definitions().processes[trace::index(writer.process)];
  const auto parent = holders.find(trace::ProcessId{forked.parent});
  if (parent == holders.end()) {
    return false;
  }
  const std::uint64_t model = model_bytes(parent->second, forked.begin_ns);
  if (!is_whole_model(evidence, model)) {
    return false;
  }
  const std::uint64_t all = held.of(writer).memory;
  const std::uint64_t rest = all - std::min(all, model);
  const bool is_model =
      is_as_much_as_model(evidence, writer.bytes, 100)
          ? !is_whole_model(evidence, rest)
          : is_as_much_as_model(evidence, writer.bytes, 10) && rest < evidence.load.model.bytes / 2;
  return is_model || writer.bytes >= rest + evidence.load.model.bytes / 2;
}

/// The part of what it has written that is certainly the model that its parent had mapped, as
/// everything else that its parent had is less.
std::uint64_t written_of_mapping(const Evidence& evidence,
                                 const HeldByParents& held,
                                 const Writer& writer) {
  const Held& parent = held.of(writer);
  const std::uint64_t other = parent.memory + parent.other_files;
  return is_whole_model(evidence, parent.model) ? writer.bytes - std::min(writer.bytes, other) : 0;
}

/// All processes with memory that became their own by writing to it after a fork.
std::vector<Writer> find_writers(const Evidence& evidence) {
  constexpr std::uint64_t kNotablePart = 16;
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::vector<Writer> writers;
  std::map<trace::StackId, bool> is_of_fork;
  visit_live(
      evidence.trace, {}, evidence.load.peak.at,
      [&](const trace::Event& event, std::uint64_t bytes) {
        if (event.lane != trace::Lane::kAnon || bytes < evidence.load.model.bytes / kNotablePart) {
          return;
        }
        const auto [known, is_new] = is_of_fork.try_emplace(event.stack);
        if (is_new) {
          const auto frames = named_stack(definitions, event.stack);
          known->second = !frames.empty() && frames.front().function == trace::kWrittenOfForkName;
        }
        const auto process = evidence.trace.process_of(event.thread);
        if (known->second && process && trace::index(*process) < definitions.processes.size()) {
          writers.push_back({*process, event.allocation, bytes, event.stack});
        }
      });
  return writers;
}

/// Those of the writers whose parent had mapped the model; none if they have certainly written less
/// than half of it together.
std::vector<Writer> writers_of_mapping(const Evidence& evidence,
                                       const HeldByParents& held,
                                       std::vector<Writer> writers) {
  std::uint64_t bytes = 0;
  std::erase_if(writers, [&](const Writer& writer) {
    const std::uint64_t written = written_of_mapping(evidence, held, writer);
    bytes += written;
    return written == 0;
  });
  if (bytes < evidence.load.model.bytes / 2) {
    writers.clear();
  }
  return writers;
}

/// Saves all that these ever had: they grow as they are written.
class WriterSavings {
 public:
  explicit WriterSavings(std::span<const Writer> writers) {
    for (const Writer& writer : writers) {
      writers_.try_emplace(writer.allocation);
      of_process_.emplace(writer.process, writer.allocation);
    }
  }
  Savings in(LoadedTrace& trace) {
    for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
      const auto* const events = trace.events(block);
      if (events == nullptr) {
        continue;  // Damaged: the savings stay as they were.
      }
      ordinal_ = trace.ordinal({.block = block});
      for (const trace::Event& event : *events) {
        follow(event, *this);
        ++ordinal_;
      }
    }
    return std::move(savings_);
  }

  // See analyzer::follow.
  void begin(const trace::Event& event) {
    change(event.allocation, static_cast<std::int64_t>(event.size), event.stack);
  }
  void resize(trace::AllocationNumber allocation, std::int64_t change_bytes, const trace::Event&) {
    change(allocation, change_bytes, trace::kNoStack);
  }
  void end(trace::AllocationNumber allocation, const trace::Event&) {
    if (const auto writer = writers_.find(allocation); writer != writers_.end()) {
      change(allocation, -writer->second.bytes, trace::kNoStack);
    }
  }
  void end_process(trace::ProcessId process, const trace::Event& event) {
    const auto [first, last] = of_process_.equal_range(process);
    for (auto one = first; one != last; ++one) {
      end(one->second, event);
    }
  }

 private:
  struct Written {
    trace::StackId stack = trace::kNoStack;
    std::int64_t bytes = 0;
  };

  void change(trace::AllocationNumber allocation, std::int64_t bytes, trace::StackId stack) {
    const auto writer = writers_.find(allocation);
    if (writer == writers_.end() || bytes == 0) {
      return;
    }
    Written& written = writer->second;
    written.stack = stack != trace::kNoStack ? stack : written.stack;
    written.bytes += bytes;
    savings_.add(ordinal_, bytes,
                 {.allocation = allocation, .stack = written.stack, .lane = trace::Lane::kAnon});
  }

  std::map<trace::AllocationNumber, Written> writers_;
  std::multimap<trace::ProcessId, trace::AllocationNumber> of_process_;
  trace::EventOrdinal ordinal_ = 0;
  Savings savings_;
};

/// `, 1 of them by the values that its blocks hold`; empty if all were seen to take it.
std::string by_values_text(std::size_t processes) {
  return processes == 0 ? std::string()
                        : fmt::format(", {} of them by the values that {} blocks hold", processes,
                                      processes == 1 ? "its" : "their");
}

/// @param by_values so many of them have it by their values alone.
void add_holders(Evidence& evidence,
                 const std::map<trace::ProcessId, Holder>& holders,
                 std::size_t by_values,
                 std::vector<Finding>& findings) {
  const auto most =
      std::ranges::max_element(holders, {}, [](const auto& entry) { return entry.second.bytes; });
  Savings savings;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::map<trace::StackId, std::uint64_t> by_stack;
  for (const auto& [process, holder] : holders) {
    bytes += holder.bytes;
    blocks += holder.lives.size();
    for (const std::uint32_t life : holder.lives) {
      by_stack[evidence.flow.lives()[life].stack] +=
          evidence.flow.size_after(life, evidence.peak - 1);
      if (process != most->first) {
        evidence.flow.save(life, 0, savings);
      }
    }
  }
  const auto without = evidence.lower_peak(savings);
  if (!without) {
    return;
  }
  const trace::StackId stack =
      std::ranges::max_element(by_stack, {}, [](const auto& entry) { return entry.second; })->first;
  Places& places = *evidence.places;
  const bool is_one_place = std::ranges::all_of(
      by_stack, [&](const auto& entry) { return places.of(entry.first) == places.of(stack); });
  Finding finding{.kind = FindingKind::kProcesses, .title = "the model in several processes"};
  finding.frames = named_stack(evidence.trace.definitions(), stack);
  finding.sentence =
      fmt::format("{} processes each have the model for themselves{}: {}{}.", holders.size(),
                  by_values_text(by_values), blocks_text(bytes, blocks, place_text(finding.frames)),
                  by_values == 0 || is_one_place ? "" : " and other places");
  finding.bytes = bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  without->note(finding);
  finding.remedy = "With it in one of them";
  findings.push_back(std::move(finding));
}

/// @param is_mapped their parent has the model mapped, or else in its memory.
void add_writers(const Evidence& evidence,
                 const std::vector<Writer>& writers,
                 bool is_mapped,
                 std::vector<Finding>& findings) {
  if (writers.empty()) {
    return;
  }
  const auto without = evidence.lower_peak(WriterSavings(writers).in(evidence.trace));
  if (!without) {
    return;
  }
  const char* const has_model = is_mapped ? "that maps" : "with";
  std::uint64_t bytes = 0;
  for (const Writer& writer : writers) {
    bytes += writer.bytes;
  }
  Finding finding{.kind = FindingKind::kProcesses, .title = "the model in several processes"};
  finding.frames = named_stack(evidence.trace.definitions(), writers.front().stack);
  finding.sentence =
      writers.size() == 1
          ? fmt::format(
                "The process {} the model was forked, and its child has written {} of what "
                "it had from it, which {} since.",
                has_model, format_size(bytes),
                is_mapped ? "is memory of its own" : "is there twice")
          : fmt::format(
                "The process {} the model was forked, and {} of its children have written "
                "{} of what they had from it, which each has for itself since.",
                has_model, writers.size(), format_size(bytes));
  finding.bytes = bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  without->note(finding);
  finding.advice = is_mapped ? "change the weights once, before the fork, then only read them" : "";
  finding.remedy = writers.size() == 1 ? "Had it only read" : "Had they only read";
  findings.push_back(std::move(finding));
}

}  // namespace

void find_processes(Evidence& evidence, std::vector<Finding>& findings) {
  if (evidence.trace.definitions().processes.size() < 2) {
    return;
  }
  const auto holders = find_holders(evidence);
  // If a process has both, it has two copies, and all that is known goes.
  auto all = holders;
  for (const auto& [process, by_values] : find_holders_by_values(evidence)) {
    Holder& holder = all[process];
    holder.bytes += by_values.bytes;
    holder.lives.insert(holder.lives.end(), by_values.lives.begin(), by_values.lives.end());
  }
  if (all.size() > 1) {
    add_holders(evidence, all, all.size() - holders.size(), findings);
  }
  const std::vector<Writer> writers = find_writers(evidence);
  const HeldByParents held(evidence, writers);
  std::vector<Writer> of_memory = writers;
  std::erase_if(of_memory, [&](const Writer& writer) {
    return !has_written_model(evidence, holders, held, writer);
  });
  add_writers(evidence, of_memory, false, findings);
  if (of_memory.empty()) {
    add_writers(evidence, writers_of_mapping(evidence, held, writers), true, findings);
  }
}

}  // namespace tidemark::analyzer
