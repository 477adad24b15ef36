/// The weights in memory at the peak, tensor by tensor, judged by the sizes of blocks.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/tensors/size_match.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Whatever comes after a read or a set within this time, or within the time that it took, counts
/// as following at once.
constexpr std::uint64_t kMinWaitNs = 10'000'000;

/// Blocks at the peak that together hold the model once, judged by their sizes.
struct TensorSet {
  SizeMatch match;
  std::vector<std::uint32_t> lives;          ///< The lives of the match's blocks, in its order.
  std::uint64_t bytes = 0;                   ///< Their bytes at the peak.
  std::uint64_t first_born_ns = UINT64_MAX;  ///< When the first of `lives` was allocated.
  std::uint64_t last_born_ns = 0;
  trace::ProcessId process{0};
  std::uint64_t read_bytes = 0;            ///< The part into which the model was read or copied.
  trace::StackId stack = trace::kNoStack;  ///< Stack of the place with most of the bytes.

  /// True if reads or copies of the model into most of it were seen.
  [[nodiscard]] bool was_filled() const { return read_bytes * 2 >= bytes; }
  /// At the peak: 4 for float32, more if there is spare room.
  [[nodiscard]] double bytes_an_element() const {
    return static_cast<double>(bytes) / static_cast<double>(match.elements);
  }
};

/// The model's tensors as its files list them; tensors that share their bytes count as one. Empty
/// unless they make up nearly all of these files, as with several formats or partly unknown ones.
std::vector<WeightTensor> model_tensors(const trace::Definitions& definitions,
                                        const LoadFacts& load);

/// A substitute for files that do not list tensors: the blocks of at least 64 KiB that they were
/// read into, each filled completely and once, in the order of the reads. Elements are bytes, and
/// there are no ids. Empty unless these are nearly all of the model.
std::vector<WeightTensor> pieces_as_read(const FlowIndex& flow, const LoadFacts& load);

/// Up to when something made from the model counts as begun at once: as long again as reading took.
std::uint64_t made_at_once_until_ns(const LoadFacts& load);

/// Disjoint sets: first of blocks of a single place, then over all places.
/// @param peak number of events before it.
/// @param is_taken by life: must not be in any set.
std::vector<TensorSet> find_tensor_sets(const trace::Definitions& definitions,
                                        const std::vector<WeightTensor>& tensors,
                                        const FlowIndex& flow,
                                        trace::EventOrdinal peak,
                                        std::vector<bool> is_taken);

}  // namespace tidemark::analyzer
