/// Tensors that are in memory more than once.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/block_contents.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// By what a block's content is known.
enum class KnownBy : std::uint8_t {
  kOrigins,  ///< By where its bytes come from.
  kAny,      ///< Also by its values, of some of the blocks at least.
};

/// One finding for each process that holds tensors once more than it needs to, in blocks that no
/// finding has named.
void tell_duplicates(Evidence& evidence,
                     const BlockContents& contents,
                     KnownBy known_by,
                     std::vector<Finding>& findings);

}  // namespace tidemark::analyzer
