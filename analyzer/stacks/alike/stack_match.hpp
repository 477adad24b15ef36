/// Which stacks of two traces are the same one, although lines moved, the program was built
/// elsewhere or with other options, and its file may have another name.
///
/// Pairs stacks one to one by keys from strict to loose, each applied to the stacks left over by
/// the ones before:
///
///   1. the same code of the same build
///   2. the same functions in the same order
///   3. the same functions, whatever their template arguments, parameters and hashes
///   4. the same without the functions that only pass a request on (malloc, std::vector<>::resize)
///   5. similar: the same asking function under mostly the same callers, or one stack is the other
///      with a few functions in between (they are inlined in one of the builds: none of Python).
///      Not two lines of one function that ask in both, nor what held more than 64 times as much
///
/// Stacks that a key makes equal (several calls in one function) are paired in the order of their
/// lines.
#pragma once

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// Indices into the two lists of stacks.
struct StackPair {
  std::size_t before = 0;
  std::size_t after = 0;
  bool is_similar = false;  ///< Rule 5: not the same functions.

  bool operator==(const StackPair&) const = default;
};

/// No stack is in two pairs, and only stacks of one lane are paired. The same input gives the same
/// pairs. Both lists are of nodes of `tree`. Time grows with the stacks, not with their product:
/// rule 5 stops after a fixed amount of work, largest stacks first, and leaves the rest unpaired.
std::vector<StackPair> match_stacks(const ComparableTree& tree,
                                    std::span<const ComparableStack> before,
                                    std::span<const ComparableStack> after);

}  // namespace tidemark::analyzer
