/// Which functions hold the small heap blocks of a recording in which only some of them have
/// stacks.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Bytes that were estimated, and two standard errors of that.
struct Estimate {
  std::uint64_t bytes = 0;
  std::uint64_t error_bytes = 0;
};

/// A function that asked for small blocks which were sampled.
struct SampledFunction {
  NamedFrame asking;  ///< Without file and line: all of its lines are one.
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;  ///< The sum of these blocks themselves.
  Estimate all;             ///< For all its small blocks.
};

/// Small: of fewer bytes than `sample_bytes`, in the heap.
struct SampledStacks {
  std::uint64_t sample_bytes = 0;  ///< 0: every block has its stack, and all of this is empty.
  std::uint64_t small_blocks = 0;  ///< Exact, as the bytes.
  std::uint64_t small_bytes = 0;
  std::uint64_t blocks = 0;  ///< Those of them that were sampled.
  std::uint64_t bytes = 0;   ///< The same.
  Estimate all;              ///< For `small_bytes`, which are known: the sum of all functions.
  std::vector<SampledFunction> functions;  ///< Most estimated bytes first.
  std::size_t unlisted = 0;                ///< How many more functions there are.
};

/// The heap at an instant.
SampledStacks sampled_stacks_at(LoadedTrace& trace, const Instant& at);

}  // namespace tidemark::analyzer
