/// A policy: several checks in one file, each with a name.
#pragma once

#include "analyzer/gate/gate.hpp"

#include <string>
#include <vector>

namespace tidemark::analyzer {

struct Policy {
  std::string model;  ///< As --model; empty when the file does not say.
  std::vector<Check> checks;
};

/// Reads JSON with comments, as described in analyzer/gate/GATE.md. `name` stands for the text in
/// messages; baselines are looked for from `folder` on.
/// @return kUsage with a sentence that names the check and the key; what reading a baseline
/// returns.
Result<Policy> parse_policy(const std::string& text,
                            const std::string& name,
                            const std::string& folder);

/// @return kIo when the file cannot be read; else as `parse_policy`.
Result<Policy> read_policy(const std::string& path);

}  // namespace tidemark::analyzer
