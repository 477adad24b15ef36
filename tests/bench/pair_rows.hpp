/// The malloc+free pair: freed at once, at several depths and numbers of threads, and with
/// lifetimes as real programs have them.
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/profiler.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::bench {

/// Medians of one row and one profiler; all in ns, a pair and thread unless said otherwise.
struct PairCost {
  double wall = 0;
  double thread_cpu = 0;     ///< Of the allocating thread alone.
  double all_cpu = 0;        ///< Of all processes, less what a run with hardly a pair takes.
  double collector_cpu = 0;  ///< An event: all_cpu without the host's own.
  double bytes_per_event = 0;
};

struct PairRow {
  int depth = 24;
  int threads = 1;
  bool varied = false;
  std::string shape{};  ///< Of lifetimes, as hosts/lifetimes.cpp has them; empty: freed at once.
  long alive = 0;       ///< Blocks a thread, where the shape asks for a number.
  long pairs = 0;       ///< A thread; 0: as many as the command line says.
  std::map<Profiler, PairCost> costs{};

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool has(Profiler profiler) const { return costs.contains(profiler); }
  /// Wall time that `profiler` adds to a pair.
  [[nodiscard]] double added(Profiler profiler) const {
    return costs.at(profiler).wall - costs.at(Profiler::kNone).wall;
  }
  /// CPU time that it adds to the allocating thread, a pair.
  [[nodiscard]] double added_cpu(Profiler profiler) const {
    return costs.at(profiler).thread_cpu - costs.at(Profiler::kNone).thread_cpu;
  }
};

std::vector<PairRow> measure_pairs(const Workshop& workshop, const Options& options);
std::vector<PairRow> measure_lifetimes(const Workshop& workshop, const Options& options);

/// What taking one stack of 24 frames adds, in ns of CPU: recording with stacks and without.
std::optional<double> measure_unwinding(const Workshop& workshop, const Options& options);

}  // namespace tidemark::bench
