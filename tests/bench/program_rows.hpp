/// Whole programs, from start to end: what a user waits for.
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/profiler.hpp"

#include <map>
#include <string>
#include <vector>

namespace tidemark::bench {

struct ProgramCost {
  double wall_ns = 0;  ///< Median.
  double cpu_ns = 0;   ///< Median, all processes.
};

struct ProgramRow {
  std::string name;
  std::string note;  ///< What a reader must know to compare; may be empty.
  Command command;
  std::map<Profiler, ProgramCost> costs{};

  [[nodiscard]] bool has(Profiler profiler) const { return costs.contains(profiler); }
  [[nodiscard]] double wall_ratio(Profiler profiler) const {
    return costs.at(profiler).wall_ns / costs.at(Profiler::kNone).wall_ns;
  }
  [[nodiscard]] double cpu_ratio(Profiler profiler) const {
    return costs.at(profiler).cpu_ns / costs.at(Profiler::kNone).cpu_ns;
  }
};

/// Name of the row that design.md sets a target for; absent where python3-torch is not installed.
constexpr const char* kPyTorchRow = "PyTorch checkpoint";

std::vector<ProgramRow> measure_programs(const Workshop& workshop, const Options& options);

}  // namespace tidemark::bench
