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
#include "analyzer/findings/processes/fork_writers.hpp"
#include "analyzer/findings/processes/model_holders.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// `, 1 of them by the values that its blocks hold`; empty if all were seen to take it.
std::string by_values_text(std::size_t processes) {
  return processes == 0 ? std::string()
                        : fmt::format(", {} of them by the values that {} blocks hold", processes,
                                      processes == 1 ? "its" : "their");
}

/// @param by_values so many of them have it by their values alone.
void add_holders(Evidence& evidence,
                 const std::map<trace::ProcessId, ModelHolder>& holders,
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
                 const std::vector<ForkWriter>& writers,
                 bool is_mapped,
                 std::vector<Finding>& findings) {
  if (writers.empty()) {
    return;
  }
  const auto without = evidence.lower_peak(savings_of(writers, evidence.trace));
  if (!without) {
    return;
  }
  const char* const has_model = is_mapped ? "that maps" : "with";
  std::uint64_t bytes = 0;
  for (const ForkWriter& writer : writers) {
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
    ModelHolder& holder = all[process];
    holder.bytes += by_values.bytes;
    holder.lives.insert(holder.lives.end(), by_values.lives.begin(), by_values.lives.end());
  }
  if (all.size() > 1) {
    add_holders(evidence, all, all.size() - holders.size(), findings);
  }
  const ForkWriters writers = find_fork_writers(evidence, holders);
  add_writers(evidence, writers.of_memory, false, findings);
  add_writers(evidence, writers.of_mapping, true, findings);
}

}  // namespace tidemark::analyzer
