#pragma once

#include <string>
#include <vector>

namespace tidemark::loaders {

/// Runs `arguments` (the first is the program's path), with stdin and stderr of this process, and
/// returns what it wrote to stdout.
/// @throws std::runtime_error, one sentence with the command, when it cannot start or does not exit
/// with status 0.
std::string output_of(const std::vector<std::string>& arguments);

struct ChildResult {
  int exit_status = -1;  ///< -1 when a signal ended it.
  int signal = 0;
  std::string out;
  std::string err;
};

/// The same, but keeps what it wrote to stderr, and does not mind how it ended.
/// @throws std::runtime_error when it cannot start.
ChildResult run_child(const std::vector<std::string>& arguments);

}  // namespace tidemark::loaders
