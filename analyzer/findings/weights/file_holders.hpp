/// What the blocks at the peak hold of the model's files.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/holder.hpp"

namespace tidemark::analyzer {

ModelFileIds model_file_ids(const Evidence& evidence);

/// Blocks at the peak that no finding names: first those into which the file was read or copied,
/// then those that hold it by their values, or by the values in others of their place, in the order
/// of allocation.
HoldersByFile holders_at_peak(const Evidence& evidence);

}  // namespace tidemark::analyzer
