/// Blocks at the peak that hold the model's tensors as their values alone say: nothing was seen to
/// come into them, as where another process sent it through a pipe.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// A block and what it holds.
struct BlockByValues {
  struct Part {
    std::uint32_t tensor = 0;   ///< A TensorId.
    std::uint64_t in_file = 0;  ///< Bytes of it there, as the file has them.
  };
  std::uint32_t life = 0;
  std::vector<Part> parts;  ///< One at least.
};

/// In the order of their lives. None where the model's files list no tensors, or not nearly all of
/// them.
std::vector<BlockByValues> known_by_values(const Evidence& evidence);

}  // namespace tidemark::analyzer
