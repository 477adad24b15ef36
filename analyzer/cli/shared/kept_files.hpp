/// Makes sure that no output of a command overwrites what it reads, or another output.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>
#include <vector>

namespace tidemark::cli {

/// Empty names, and those of no file, are ignored.
struct NamedFiles {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Call before anything is written. An input is the same file as an output when device and inode
/// are, so symbolic and hard links to an input are seen. Two outputs may be one stream.
/// @return kUsage with one sentence if an output is one of the inputs, or another output.
Status keeps_files(const NamedFiles& files);

}  // namespace tidemark::cli
