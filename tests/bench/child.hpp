/// Runs a command and says what it took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::bench {

struct Outcome {
  std::string output;  ///< What it wrote to stdout.
  double wall_ns = 0;
  double cpu_ns = 0;          ///< User and system time of the command and all its descendants.
  std::uint64_t max_rss = 0;  ///< Bytes; of the largest process among them.
};

/// Searches PATH. What the command writes to stderr is dropped, unless it fails.
/// Throws std::runtime_error when it cannot be started or does not exit with 0.
Outcome run(const std::vector<std::string>& command);

/// True when `program` is found in PATH.
bool is_installed(const std::string& program);

}  // namespace tidemark::bench
