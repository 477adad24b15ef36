#include "analyzer/findings/processes/fork_writers.hpp"

#include "analyzer/findings/processes/held_by_parents.hpp"
#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

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
                       const std::map<trace::ProcessId, ModelHolder>& holders,
                       const HeldByParents& held,
                       const ForkWriter& writer) {
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
  const std::uint64_t all = held.of(writer.process).memory;
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
                                 const ForkWriter& writer) {
  const HeldAtFork& parent = held.of(writer.process);
  const std::uint64_t other = parent.memory + parent.other_files;
  return is_whole_model(evidence, parent.model) ? writer.bytes - std::min(writer.bytes, other) : 0;
}

/// All processes with memory that became their own by writing to it after a fork.
std::vector<ForkWriter> find_writers(const Evidence& evidence) {
  constexpr std::uint64_t kNotablePart = 16;
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::vector<ForkWriter> writers;
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
std::vector<ForkWriter> writers_of_mapping(const Evidence& evidence,
                                           const HeldByParents& held,
                                           std::vector<ForkWriter> writers) {
  std::uint64_t bytes = 0;
  std::erase_if(writers, [&](const ForkWriter& writer) {
    const std::uint64_t written = written_of_mapping(evidence, held, writer);
    bytes += written;
    return written == 0;
  });
  if (bytes < evidence.load.model.bytes / 2) {
    writers.clear();
  }
  return writers;
}

/// See savings_of.
class WriterSavings {
 public:
  explicit WriterSavings(std::span<const ForkWriter> writers) {
    for (const ForkWriter& writer : writers) {
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

}  // namespace

ForkWriters find_fork_writers(const Evidence& evidence,
                              const std::map<trace::ProcessId, ModelHolder>& holders) {
  const std::vector<ForkWriter> writers = find_writers(evidence);
  std::vector<trace::ProcessId> forked;
  for (const ForkWriter& writer : writers) {
    forked.push_back(writer.process);
  }
  const HeldByParents held(evidence, forked);
  ForkWriters found{.of_memory = writers, .of_mapping = {}};
  std::erase_if(found.of_memory, [&](const ForkWriter& writer) {
    return !has_written_model(evidence, holders, held, writer);
  });
  if (found.of_memory.empty()) {
    found.of_mapping = writers_of_mapping(evidence, held, writers);
  }
  return found;
}

Savings savings_of(std::span<const ForkWriter> writers, LoadedTrace& trace) {
  return WriterSavings(writers).in(trace);
}

}  // namespace tidemark::analyzer
