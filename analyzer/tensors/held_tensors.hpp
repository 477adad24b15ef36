/// Which tensors are in memory at an instant, in which blocks.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// A tensor of a file that the program used.
struct HeldTensor {
  trace::TensorId tensor{0};
  std::uint64_t bytes = 0;         ///< In blocks of the footprint; twice where it is there twice.
  std::uint64_t mapped_bytes = 0;  ///< In mappings of its file.
  std::uint64_t blocks = 0;        ///< That hold bytes of it, mappings not among them.
  trace::StackId stack = trace::kNoStack;  ///< Of the block that holds most of it.
  bool is_by_size = false;                 ///< A block of it is told by its size alone.
};

/// A block that holds a tensor, as its size says.
struct SizedBlock {
  trace::TensorId tensor{0};
  trace::AllocationNumber allocation = 0;
  std::uint64_t bytes = 0;
  trace::StackId stack = trace::kNoStack;
};

struct HeldTensors {
  /// Those of which at least a byte is there, in the order of their files; of several that share
  /// their bytes in the file the first.
  std::vector<HeldTensor> tensors;
  std::size_t listed = 0;          ///< Tensors that those files list, such that share bytes once.
  std::uint64_t listed_bytes = 0;  ///< Of these, in the files.
  std::uint64_t bytes = 0;         ///< Of the footprint, in such tensors.
};

/// By where in its file each byte was read, copied from or is mapped: what a program's own loops
/// have moved, or small pieces brought, is not among them. A block that is there holds what comes
/// into it: an arena stands for its tensors from its allocation on.
/// @param sized blocks that are alive at that instant: those of which it is known by their bytes
/// what they hold are passed over.
HeldTensors tensors_held_at(LoadedTrace& trace,
                            const Instant& at,
                            std::span<const SizedBlock> sized);

}  // namespace tidemark::analyzer
