/// What the command line asks of the bench.
#pragma once

#include "tests/bench/profiler.hpp"

#include <string>
#include <vector>

namespace tidemark::bench {

struct Options {
  bool quick = false;
  bool full = false;  ///< 100 M events in generated traces.
  int rounds = 5;
  long pairs = 1'000'000;         ///< A thread, in the pair rows.
  std::vector<std::string> only;  ///< Rows whose name contains one of these; all when empty.
  bool heaptrack = true;
  bool sample = false;  ///< Each row with --sample 512KiB, too.
  std::string json;     ///< Where results are kept; empty: nowhere.

  /// Of generated traces.
  [[nodiscard]] long long_trace_events() const {
    return full ? 100'000'000 : quick ? 1'000'000 : 10'000'000;
  }
  [[nodiscard]] bool wants(Profiler profiler) const {
    return profiler == Profiler::kHeaptrack ? heaptrack : profiler != Profiler::kSampled || sample;
  }
  [[nodiscard]] bool wants(const std::string& row) const {
    if (only.empty())
      return true;
    for (const std::string& part : only) {
      if (row.find(part) != std::string::npos)
        return true;
    }
    return false;
  }
};

}  // namespace tidemark::bench
