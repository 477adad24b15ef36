/// Processes that each have the whole model for themselves.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace tidemark::analyzer {

/// A process, and what it has of the model at the peak.
struct ModelHolder {
  struct Stage {
    std::uint64_t born_ns = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t bytes = 0;  ///< In the blocks that the model came into.
  std::vector<std::uint32_t> lives;
  /// How much of the model it has since a block came, in order of time.
  std::vector<Stage> stages;
};

/// Less of the model is only a part of it, as in processes that split the work.
bool is_whole_model(const Evidence& evidence, std::uint64_t bytes);

/// Processes that have read the whole model, or copied it out of what they have read.
std::map<trace::ProcessId, ModelHolder> find_holders(const Evidence& evidence);

/// Processes that have the whole model by values alone: another process may have sent it to them.
std::map<trace::ProcessId, ModelHolder> find_holders_by_values(const Evidence& evidence);

/// Bytes of the model in blocks that began before `at_ns`.
std::uint64_t model_bytes(const ModelHolder& holder, std::uint64_t at_ns);

}  // namespace tidemark::analyzer
