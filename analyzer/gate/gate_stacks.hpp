/// The stacks that make up an excess.
#pragma once

#include "analyzer/gate/baseline.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// A stack's bytes before and now. Without a baseline `before_bytes` is 0.
struct GateStack {
  std::uint64_t before_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t before_blocks = 0;
  std::uint64_t blocks = 0;
  std::vector<NamedFrame> frames;  ///< Innermost first, as they are now.
};

struct ExcessStacks {
  bool grown = false;             ///< Compared with a baseline: only those that grew, by growth.
  std::vector<GateStack> stacks;  ///< Else the live ones, by bytes; at most kMaxComparedStacks.
  std::uint64_t more_stacks = 0;  ///< Live stacks not listed; 0 if compared with a baseline.
  std::uint64_t more_bytes = 0;   ///< The bytes of these.
};

/// The stacks of the peak that hold more than in the baseline, matched by stack_match.hpp.
ExcessStacks grown_stacks(const trace::Definitions& definitions,
                          const Report& report,
                          const Baseline& baseline);

/// The stacks alive when the subject first stood at its highest value, `bytes`. Empty for sampled
/// lanes, which have no stacks, and if that instant lies in a damaged block.
ExcessStacks alive_stacks(LoadedTrace& trace,
                          const Report& report,
                          const Subject& subject,
                          std::uint64_t bytes);

}  // namespace tidemark::analyzer
