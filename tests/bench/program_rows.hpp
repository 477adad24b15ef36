/// Whole programs, from start to end: what a user waits for.
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/profiler.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::bench {

struct ProgramCost {
  double wall_ns = 0;  ///< Median.
  double cpu_ns = 0;   ///< Median, all processes.
};

using Environment = std::map<std::string, std::string>;

struct ProgramRow {
  std::string name;
  std::string note;  ///< What a reader must know to compare; may be empty.
  Command command;
  Environment environment{};  ///< Set for it.
  bool is_in_mean = true;     ///< Comparable, and long enough to say what recording costs.
  std::map<Profiler, ProgramCost> costs{};

  [[nodiscard]] bool has(Profiler profiler) const { return costs.contains(profiler); }
  [[nodiscard]] double wall_ratio(Profiler profiler) const {
    return costs.at(profiler).wall_ns / costs.at(Profiler::kNone).wall_ns;
  }
  /// Wall time that it adds. Less than a fiftieth of the program's own is noise, and counts as
  /// that: a few rounds of a program that seems faster under a profiler must not make the mean.
  [[nodiscard]] double added_ns(Profiler profiler) const {
    const double own = costs.at(Profiler::kNone).wall_ns;
    return std::max(costs.at(profiler).wall_ns - own, own / 50);
  }
  [[nodiscard]] double cpu_ratio(Profiler profiler) const {
    return costs.at(profiler).cpu_ns / costs.at(Profiler::kNone).cpu_ns;
  }
};

/// Name of the row that has a target of its own; absent where python3-torch is not installed.
constexpr const char* kPyTorchRow = "PyTorch checkpoint";

/// Name of the row of a program that does next to nothing.
constexpr const char* kStartRow = "start and end";

/// The geometric mean over programs of what tidemark adds to the wall time by what heaptrack adds;
/// nothing where no program was run under both.
std::optional<double> mean_share_of_heaptrack(const std::vector<ProgramRow>& rows);

std::vector<ProgramRow> measure_programs(const Workshop& workshop, const Options& options);

}  // namespace tidemark::bench
