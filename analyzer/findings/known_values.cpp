#include "analyzer/findings/known_values.hpp"

#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <set>
#include <utility>

namespace tidemark::analyzer {

std::vector<BlockByValues> known_by_values(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::set<std::uint32_t> tensors;
  for (const WeightTensor& tensor : model_tensors(definitions, evidence.load)) {
    tensors.insert(trace::index(tensor.id));
  }
  const BlockContents contents(definitions, {.since_ns = evidence.high_since_ns(),
                                             .at_ns = evidence.load.peak.at.at_ns,
                                             .until_ns = made_at_once_until_ns(evidence.load)});
  std::vector<BlockByValues> found;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size() && !tensors.empty(); ++i) {
    const BlockLife& life = lives[i];
    const std::uint64_t size = evidence.room_at_peak(i);
    if (!contents.is_by_values(life.allocation) || !life.is_alive_after(evidence.peak) ||
        life.is_mapping || contents.bytes_in(life.allocation, size) > size ||
        !contents.fits(life.allocation, size)) {
      continue;
    }
    BlockByValues block{.life = i, .parts = {}};
    for (const TensorPart& part : contents.parts_of(life.allocation, size)) {
      if (tensors.contains(trace::index(part.tensor))) {
        block.parts.push_back({trace::index(part.tensor), part.in_file});
      }
    }
    if (!block.parts.empty()) {
      found.push_back(std::move(block));
    }
  }
  return found;
}

}  // namespace tidemark::analyzer
