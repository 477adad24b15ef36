/// The collector's entry for a live heap block.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstdint>

namespace tidemark {

struct LiveBlock {
  static constexpr std::uint64_t kNoAllocation = ~std::uint64_t{0};
  trace::AllocationNumber allocation = 0;  ///< Its number in the trace; kNoAllocation: in no lane.
  std::uint64_t size = 0;
};

}  // namespace tidemark
