/// Which block holds a tensor: the target of a search for the tensor's name.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/tensors/held_tensors.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::gui {

struct TensorHolder {
  /// A block, or a mapping of the tensor's file.
  trace::AllocationNumber allocation = 0;
  std::uint64_t bytes = 0;  ///< Bytes of the tensor in it.
  std::uint64_t at_ns = 0;  ///< The peak; if it holds nothing then, when the first bytes came.
  bool is_mapping = false;  ///< A mapping of the file: no block holds the tensor.
};

/// By TensorId; none: no holder is known.
using TensorHolders = std::vector<std::optional<TensorHolder>>;

/// For each tensor, the block that holds most of it at the peak; if none does then, the block that
/// ever held most of it. Blocks are preferred to mappings, and earlier blocks to later ones that
/// hold as much. Reads the events before the peak and those that made the other holders.
/// @param sized see tensors_held_at, for the peak.
TensorHolders tensor_holders(analyzer::LoadedTrace& trace,
                             const analyzer::Instant& peak,
                             std::span<const analyzer::SizedBlock> sized);

}  // namespace tidemark::gui
