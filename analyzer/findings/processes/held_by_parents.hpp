/// What parents had when they were forked.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/query/live/live_spans.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// What a process had at an instant.
struct HeldAtFork {
  std::uint64_t memory = 0;       ///< Its own memory.
  std::uint64_t model = 0;        ///< Mapped files of the model.
  std::uint64_t other_files = 0;  ///< Other mapped files, except programs and libraries.

  void operator+=(const HeldAtFork& more) {
    memory += more.memory;
    model += more.model;
    other_files += more.other_files;
  }
};

/// For one walk through the trace.
class HeldByParents {
 public:
  /// @param forked the processes whose parents are asked for.
  HeldByParents(const Evidence& evidence, const std::vector<trace::ProcessId>& forked);
  /// The parent of that process had.
  [[nodiscard]] const HeldAtFork& of(trace::ProcessId process) const { return held_.at(process); }

 private:
  struct Fork {
    Instant at;
    trace::ProcessId process{0};
  };
  /// The forks of one process.
  struct Parent {
    std::vector<std::size_t> instants;  // Those of a walk.
    std::vector<HeldAtFork> changes;    // Changes from each instant to the next.
  };

  [[nodiscard]] std::vector<Fork> forks_of(const std::vector<trace::ProcessId>& forked) const;
  void walk(std::span<const Fork> forks);
  void add(const LiveSpan& span, Parent& parent) const;
  [[nodiscard]] std::uint64_t HeldAtFork::*part_of(const trace::Event& allocation) const;

  const Evidence& evidence_;
  ModelFiles model_;
  std::unordered_map<trace::AllocationNumber, std::uint64_t> files_;
  std::map<trace::ProcessId, HeldAtFork> held_;  // By the forked process.
};

}  // namespace tidemark::analyzer
