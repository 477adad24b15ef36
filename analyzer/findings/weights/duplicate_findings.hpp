/// Tensors that are in memory more than once.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/block_contents.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// How a block's content is known.
enum class KnownBy : std::uint8_t {
  kOrigins,  ///< From where its bytes come.
  kAny,      ///< For some blocks at least, by their values.
};

/// Adds a finding for each process that holds tensors once more than needed, in blocks that no
/// finding has named.
void tell_duplicates(Evidence& evidence,
                     const BlockContents& contents,
                     KnownBy known_by,
                     std::vector<Finding>& findings);

}  // namespace tidemark::analyzer
