/// Blocks that hold parts of a file scaled or converted, though no look came in time.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/holder.hpp"

namespace tidemark::analyzer {

/// Adds the blocks of a place whose other blocks were seen to hold tensors of `files` scaled, in
/// order (see infer_parts), or parts of one of them converted, one behind the other (see
/// infer_in_rows).
void add_inferred(const Evidence& evidence, const ModelFileIds& files, HoldersByFile& holders);

}  // namespace tidemark::analyzer
