/// Blocks at the peak that hold the model's tensors by their values alone: nothing was seen to come
/// into them, as when another process sent it through a pipe.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// A block and what it holds.
struct BlockByValues {
  struct Part {
    std::uint32_t tensor = 0;   ///< A TensorId.
    std::uint64_t in_file = 0;  ///< The bytes that it takes in the file.
  };
  std::uint32_t life = 0;
  std::vector<Part> parts;  ///< One at least.
};

/// In the order of their lives. Empty unless the model's files list nearly all of their tensors.
std::vector<BlockByValues> known_by_values(const Evidence& evidence);

}  // namespace tidemark::analyzer
