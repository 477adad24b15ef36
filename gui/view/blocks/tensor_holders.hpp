/// Which block holds a tensor: where somebody is led who looks for it by its name.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/tensors/held_tensors.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::gui {

struct TensorHolder {
  /// Of a block, or of a mapping of the tensor's file.
  trace::AllocationNumber allocation = 0;
  std::uint64_t bytes = 0;  ///< Of the tensor, in it: what they are there.
  std::uint64_t at_ns = 0;  ///< The peak; where it holds nothing then, when the first bytes came.
  bool is_mapping = false;  ///< Of the file: no block holds anything of it.
};

/// By TensorId; none: it is not known that anything held it.
using TensorHolders = std::vector<std::optional<TensorHolder>>;

/// Of the blocks that hold a tensor at the peak the one with most of it; of one that no block holds
/// then, the same of all blocks that ever did. Blocks go before mappings, and the first before
/// another one with as much. Reads what came before the peak, and where other holders were made.
/// @param sized see tensors_held_at, of the peak.
TensorHolders tensor_holders(analyzer::LoadedTrace& trace,
                             const analyzer::Instant& peak,
                             std::span<const analyzer::SizedBlock> sized);

}  // namespace tidemark::gui
