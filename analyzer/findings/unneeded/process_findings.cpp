// Several processes that each have the model for themselves.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Less of the model is a part of it, as each of several has whose work is split.
bool is_whole_model(const Evidence& evidence, std::uint64_t bytes) {
  return static_cast<double>(bytes) >= 0.9 * static_cast<double>(evidence.load.model.bytes);
}

/// A process, and what of the model it has at the peak.
struct Holder {
  std::uint64_t bytes = 0;  ///< Of the blocks that the model came into.
  std::vector<std::uint32_t> lives;
};

/// Of the model, in those of these blocks that came before `at_ns`. What was copied from one to
/// another counts once: the most that is at one distance from the file.
std::uint64_t model_bytes(const Evidence& evidence, const Holder& holder, std::uint64_t at_ns) {
  std::map<std::uint32_t, std::uint64_t> by_depth;
  std::uint64_t most = 0;
  for (const std::uint32_t i : holder.lives) {
    const BlockLife& life = evidence.flow.lives()[i];
    if (life.born_ns < at_ns) {
      std::uint64_t& bytes = by_depth[life.depth];
      bytes += std::min(evidence.flow.size_after(i, evidence.peak - 1), evidence.flow.arrived(i));
      most = std::max(most, bytes);
    }
  }
  return most;
}

/// Those that have read the whole of it, or copied it out of what they have read.
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
  std::erase_if(holders, [&](const auto& entry) {
    return !is_whole_model(evidence, model_bytes(evidence, entry.second, UINT64_MAX));
  });
  return holders;
}

/// A forked process, and what it has written of the memory that it had from its parent.
struct Writer {
  trace::ProcessId process{0};
  trace::AllocationNumber allocation = trace::kNoAllocation;
  std::uint64_t bytes = 0;  ///< At the peak.
  trace::StackId stack = trace::kNoStack;
};

/// What a process had at an instant.
struct Held {
  std::uint64_t memory = 0;       ///< Of its own.
  std::uint64_t model = 0;        ///< Mapped files of the model.
  std::uint64_t other_files = 0;  ///< Other mapped files, but for programs and libraries.
};

Held held_by(const Evidence& evidence, trace::ProcessId process, std::uint64_t at_ns) {
  const ModelFiles model(evidence.load, evidence.trace.definitions());
  const auto& files = evidence.trace.definitions().files;
  Held held;
  visit_live(evidence.trace, {}, evidence.trace.instant_at(at_ns),
             [&](const trace::Event& event, std::uint64_t bytes) {
               if (evidence.trace.process_of(event.thread) != process) {
                 return;
               }
               if (event.lane != trace::Lane::kFile) {
                 held.memory += trace::in_footprint(event.lane) ? bytes : 0;
               } else if (model.contains(event.extra)) {
                 held.model += bytes;
               } else if (event.extra >= files.size() || !files[event.extra].executable) {
                 held.other_files += bytes;
               }
             });
  return held;
}

/// To `part` of the model.
bool is_as_much_as_model(const Evidence& evidence, std::uint64_t bytes, std::uint64_t part) {
  const std::uint64_t model = evidence.load.model.bytes;
  return bytes >= model - model / part && bytes <= model + model / part;
}

/// Its parent had the model when it was forked. What was written is as much as the model to a
/// hundredth, which nobody writes by chance, and more than the parent had beside it; or to a tenth,
/// and more than twice of that; or that was so little that half of the model is among what was
/// written, whatever else is.
bool has_written_model(const Evidence& evidence,
                       const std::map<trace::ProcessId, Holder>& holders,
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
  const std::uint64_t model = model_bytes(evidence, parent->second, forked.begin_ns);
  if (!is_whole_model(evidence, model)) {
    return false;
  }
  const std::uint64_t all = held_by(evidence, parent->first, forked.begin_ns).memory;
  const std::uint64_t rest = all - std::min(all, model);
  const bool is_model =
      is_as_much_as_model(evidence, writer.bytes, 100)
          ? !is_whole_model(evidence, rest)
          : is_as_much_as_model(evidence, writer.bytes, 10) && rest < evidence.load.model.bytes / 2;
  return is_model || writer.bytes >= rest + evidence.load.model.bytes / 2;
}

/// So much of what it has written is surely of the model that its parent had mapped, as whatever
/// else its parent had is less.
std::uint64_t written_of_mapping(const Evidence& evidence, const Writer& writer) {
  const trace::Process& forked =
      evidence.trace.definitions().processes[trace::index(writer.process)];
  const Held parent = held_by(evidence, trace::ProcessId{forked.parent}, forked.begin_ns);
  const std::uint64_t other = parent.memory + parent.other_files;
  return is_whole_model(evidence, parent.model) ? writer.bytes - std::min(writer.bytes, other) : 0;
}

/// All processes with memory that is theirs since they wrote to it after a fork.
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

/// Of these, those whose parent had mapped the model: none where it is less than half of the model
/// that they are sure to have written together.
std::vector<Writer> writers_of_mapping(const Evidence& evidence, std::vector<Writer> writers) {
  std::uint64_t bytes = 0;
  std::erase_if(writers, [&](const Writer& writer) {
    const std::uint64_t written = written_of_mapping(evidence, writer);
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
      writers_.emplace(writer.allocation, Written{.process = writer.process});
    }
  }
  Savings in(LoadedTrace& trace) {
    for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
      const auto* const events = trace.events(block);
      if (events == nullptr) {
        continue;  // Damaged: what is saved stays as it was.
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
    for (const auto& [allocation, writer] : writers_) {
      if (writer.process == process) {
        end(allocation, event);
      }
    }
  }

 private:
  struct Written {
    trace::ProcessId process{0};
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
  trace::EventOrdinal ordinal_ = 0;
  Savings savings_;
};

void add_holders(Evidence& evidence,
                 const std::map<trace::ProcessId, Holder>& holders,
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
  Finding finding{.kind = FindingKind::kProcesses, .title = "the model in several processes"};
  finding.frames = named_stack(evidence.trace.definitions(), stack);
  finding.sentence =
      fmt::format("{} processes each have the model for themselves: {}.", holders.size(),
                  blocks_text(bytes, blocks, place_text(finding.frames)));
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
  if (holders.size() > 1) {
    add_holders(evidence, holders, findings);
  }
  const std::vector<Writer> writers = find_writers(evidence);
  std::vector<Writer> of_memory = writers;
  std::erase_if(of_memory, [&](const Writer& writer) {
    return !has_written_model(evidence, holders, writer);
  });
  add_writers(evidence, of_memory, false, findings);
  if (of_memory.empty()) {
    add_writers(evidence, writers_of_mapping(evidence, writers), true, findings);
  }
}

}  // namespace tidemark::analyzer
