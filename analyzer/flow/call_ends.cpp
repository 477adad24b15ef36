#include "analyzer/flow/call_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

/// Finds the innermost Python frame of stacks: the node of the stack tree, so that two stacks with
/// the same one have the same callers, too.
class PythonNodes {
 public:
  explicit PythonNodes(const trace::Definitions& definitions) : definitions_(definitions) {}

  /// 0 if the stack has no Python frame.
  std::uint32_t of(trace::StackId stack) {
    const auto [known, is_new] = known_.try_emplace(trace::index(stack), 0);
    if (is_new) {
      known->second = find(trace::index(stack));
    }
    return known->second;
  }

 private:
  [[nodiscard]] std::uint32_t find(std::uint32_t node) const {
    while (node != 0 && node < definitions_.stacks.size()) {
      const auto frame = trace::index(definitions_.stacks[node].frame);
      if (frame < definitions_.frames.size() &&
          definitions_.frames[frame].language == trace::FrameLanguage::kPython) {
        return node;
      }
      node = trace::index(definitions_.stacks[node].parent);
    }
    return 0;
  }

  const trace::Definitions& definitions_;
  std::unordered_map<std::uint32_t, std::uint32_t> known_;
};

/// What lines of Python did to large blocks, process by process, to tell whether one line alone was
/// at work.
class PythonSteps {
 public:
  void add(trace::ProcessId process, trace::EventOrdinal at, std::uint32_t call) {
    if (call != 0) {
      steps_[process].push_back({at, call});
    }
  }
  /// Once, when all have been added.
  void sort() {
    for (auto& [process, steps] : steps_) {
      std::ranges::sort(steps, {}, &Step::at);
      for (std::size_t i = steps.size(); i-- > 1;) {
        steps[i - 1].next_other_at =
            steps[i - 1].call == steps[i].call ? steps[i].next_other_at : steps[i].at;
      }
    }
  }
  /// Whether no other call than this one has a step from `from` to `to`; it has one at `from`.
  [[nodiscard]] bool is_alone(trace::ProcessId process,
                              std::uint32_t call,
                              trace::EventOrdinal from,
                              trace::EventOrdinal to) const {
    const auto& steps = steps_.at(process);
    const auto first = std::ranges::lower_bound(steps, from, {}, &Step::at);
    return first != steps.end() && first->call == call && first->next_other_at > to;
  }

 private:
  struct Step {
    trace::EventOrdinal at = 0;
    std::uint32_t call = 0;
    trace::EventOrdinal next_other_at = BlockLife::kNever;
  };
  std::map<trace::ProcessId, std::vector<Step>> steps_;
};

PythonSteps steps_of(const FlowIndex& flow,
                     const std::vector<std::uint32_t>& call_of,
                     PythonNodes& nodes) {
  PythonSteps steps;
  for (std::uint32_t life = 0; life < call_of.size(); ++life) {
    const BlockLife& block = flow.lives()[life];
    steps.add(block.process, block.born, call_of[life]);
    for (const Departure& departure : flow.departures(life)) {
      steps.add(block.process, departure.at, nodes.of(departure.stack));
    }
  }
  steps.sort();
  return steps;
}

/// Deliveries from one block of a call to another one, the last first.
std::vector<const Departure*> copies_within_calls(const FlowIndex& flow,
                                                  const std::vector<std::uint32_t>& call_of,
                                                  const PythonSteps& steps) {
  std::vector<const Departure*> copies;
  for (std::uint32_t life = 0; life < call_of.size(); ++life) {
    const BlockLife& block = flow.lives()[life];
    if (call_of[life] == 0) {
      continue;
    }
    for (const Departure& departure : flow.departures(life)) {
      if (flow.is_delivery(departure) && call_of[departure.target] == call_of[life] &&
          steps.is_alone(block.process, call_of[life], block.born, departure.at)) {
        copies.push_back(&departure);
      }
    }
  }
  std::ranges::stable_sort(copies, std::ranges::greater(), &Departure::at);
  return copies;
}

}  // namespace

CallEnds::CallEnds(const trace::Definitions& definitions, const FlowIndex& flow)
    : call_of_(flow.lives().size()), last_(flow.lives().size()) {
  PythonNodes nodes(definitions);
  for (std::uint32_t life = 0; life < call_of_.size(); ++life) {
    call_of_[life] = nodes.of(flow.lives()[life].stack);
  }
  const PythonSteps steps = steps_of(flow, call_of_, nodes);
  // The last copies first: what a copy brought leaves its target after it alone.
  for (const Departure* copy : copies_within_calls(flow, call_of_, steps)) {
    for (const Copy& later : {Copy{copy->at, copy->last_ns}, last_[copy->target]}) {
      last_[copy->source] = later.at > last_[copy->source].at ? later : last_[copy->source];
    }
  }
}

CallEnds::Copy CallEnds::last_after(const Departure& delivery) const {
  const Copy itself{delivery.at, delivery.last_ns};
  const Copy& last = last_[delivery.target];
  const bool is_own = call_of_[delivery.source] == call_of_[delivery.target];
  return is_own || last.at < delivery.at ? itself : last;
}

}  // namespace tidemark::analyzer
