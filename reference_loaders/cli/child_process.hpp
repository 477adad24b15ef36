#pragma once

#include <string>
#include <vector>

namespace tidemark::loaders {

/// Runs `arguments` (the first is the program's path), with stdin and stderr of this process, and
/// returns what it wrote to stdout.
/// @throws std::runtime_error, one sentence with the command, when it cannot start or does not exit
/// with status 0.
std::string output_of(const std::vector<std::string>& arguments);

}  // namespace tidemark::loaders
