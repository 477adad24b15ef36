/// The weights as they stand in memory at the peak, tensor by tensor, by the sizes of blocks.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/tensors/size_match.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// What follows a read or a set within this time, or within the time that it took, follows at once.
constexpr std::uint64_t kLeastWaitNs = 10'000'000;

/// Blocks at the peak that together hold the model once, as far as their sizes say.
struct TensorSet {
  SizeMatch match;
  std::vector<std::uint32_t> lives;          ///< Of the match's blocks, in its order.
  std::uint64_t bytes = 0;                   ///< Of these at the peak.
  std::uint64_t first_born_ns = UINT64_MAX;  ///< Of `lives`.
  std::uint64_t last_born_ns = 0;
  trace::ProcessId process{0};
  std::uint64_t read_bytes = 0;            ///< Of these, what the model was read or copied into.
  trace::StackId stack = trace::kNoStack;  ///< Of the place with the most of them.

  /// Reads or copies of the model into most of it were seen.
  [[nodiscard]] bool was_filled() const { return read_bytes * 2 >= bytes; }
  /// As it stands at the peak: 4 for float32, more where there is room for more.
  [[nodiscard]] double bytes_an_element() const {
    return static_cast<double>(bytes) / static_cast<double>(match.elements);
  }
};

/// The model's tensors as its files list them; those that share their bytes are one. None where
/// they are not nearly all of these files: a model of several formats, or in part of an unknown
/// one.
std::vector<WeightTensor> model_tensors(const trace::Definitions& definitions,
                                        const LoadFacts& load);

/// Where the files list no tensors: the blocks of 64 KiB and more that they were read into, each
/// filled whole and once, in the order of the reads; an element is a byte, and none has an id. None
/// where they are not nearly all of the model.
std::vector<WeightTensor> pieces_as_read(const FlowIndex& flow, const LoadFacts& load);

/// Until when what is made of the model is begun at once: as long again as reading it took.
std::uint64_t made_at_once_until_ns(const LoadFacts& load);

/// Sets that no block is in twice; of one place first, then over all places.
/// @param peak how many events there were before it.
/// @param is_taken by life: is in no set.
std::vector<TensorSet> find_tensor_sets(const trace::Definitions& definitions,
                                        const std::vector<WeightTensor>& tensors,
                                        const FlowIndex& flow,
                                        trace::EventOrdinal peak,
                                        std::vector<bool> is_taken);

}  // namespace tidemark::analyzer
