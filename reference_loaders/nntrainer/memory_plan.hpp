#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// A tensor as the planner sees it: when it is needed, from its first step to its last.
struct Lifespan {
  std::uint64_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  ///< By tensor.
  std::uint64_t bytes = 0;             ///< Size of the whole pool.
};

/// Places for all tensors in one pool, in the order of their first steps, larger ones first: each
/// gets the lowest place that no other has in any of its steps.
MemoryPlan plan_memory(const std::vector<Lifespan>& tensors);

}  // namespace tidemark::loaders::nntrainer
