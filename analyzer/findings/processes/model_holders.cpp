#include "analyzer/findings/processes/model_holders.hpp"

#include "analyzer/findings/known_values.hpp"

#include <algorithm>
#include <iterator>

namespace tidemark::analyzer {
namespace {

/// What was copied from one block to another counts once: the most at any one distance from the
/// file.
std::vector<ModelHolder::Stage> stages_of(const Evidence& evidence,
                                          std::vector<std::uint32_t> lives) {
  const auto& all = evidence.flow.lives();
  std::ranges::stable_sort(lives, {}, [&](std::uint32_t i) { return all[i].born_ns; });
  std::vector<ModelHolder::Stage> stages;
  std::map<std::uint32_t, std::uint64_t> by_depth;
  std::uint64_t most = 0;
  for (const std::uint32_t i : lives) {
    std::uint64_t& bytes = by_depth[all[i].depth];
    bytes += std::min(evidence.flow.size_after(i, evidence.peak - 1), evidence.flow.arrived(i));
    most = std::max(most, bytes);
    stages.push_back({all[i].born_ns, most});
  }
  return stages;
}

}  // namespace

bool is_whole_model(const Evidence& evidence, std::uint64_t bytes) {
  return static_cast<double>(bytes) >= 0.9 * static_cast<double>(evidence.load.model.bytes);
}

std::uint64_t model_bytes(const ModelHolder& holder, std::uint64_t at_ns) {
  const auto later =
      std::ranges::lower_bound(holder.stages, at_ns, {}, &ModelHolder::Stage::born_ns);
  return later == holder.stages.begin() ? 0 : std::prev(later)->bytes;
}

std::map<trace::ProcessId, ModelHolder> find_holders(const Evidence& evidence) {
  std::map<trace::ProcessId, ModelHolder> holders;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (life.is_mapping || !life.holds_model() || !life.is_alive_after(evidence.peak) ||
        !trace::in_footprint(life.lane) || life.lane == trace::Lane::kShared) {
      continue;
    }
    ModelHolder& holder = holders[life.process];
    holder.bytes += evidence.flow.size_after(i, evidence.peak - 1);
    holder.lives.push_back(i);
  }
  for (auto& [process, holder] : holders) {
    holder.stages = stages_of(evidence, holder.lives);
  }
  std::erase_if(holders, [&](const auto& entry) {
    return !is_whole_model(evidence, entry.second.stages.back().bytes);
  });
  return holders;
}

std::map<trace::ProcessId, ModelHolder> find_holders_by_values(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::map<trace::ProcessId, ModelHolder> holders;
  std::map<trace::ProcessId, std::map<std::uint32_t, std::uint64_t>> held;  // By tensor.
  for (const BlockByValues& block : known_by_values(evidence)) {
    const BlockLife& life = evidence.flow.lives()[block.life];
    if (life.holds_model() || !trace::in_footprint(life.lane) ||
        life.lane == trace::Lane::kShared) {
      continue;
    }
    ModelHolder& holder = holders[life.process];
    holder.bytes += evidence.flow.size_after(block.life, evidence.peak - 1);
    holder.lives.push_back(block.life);
    for (const auto& [tensor, in_file] : block.parts) {
      held[life.process][tensor] += in_file;
    }
  }
  std::erase_if(holders, [&](const auto& entry) {
    std::uint64_t bytes = 0;
    for (const auto& [tensor, in_file] : held[entry.first]) {
      bytes += std::min(in_file, definitions.tensors[tensor].bytes);
    }
    return !is_whole_model(evidence, bytes);
  });
  return holders;
}

}  // namespace tidemark::analyzer
