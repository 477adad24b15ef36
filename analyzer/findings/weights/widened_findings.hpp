/// Tensors that have more bytes in memory than in the file.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <string>
#include <vector>

namespace tidemark::analyzer {

/// Bytes of an element: `4`, `0.56`.
std::string element_text(double bytes);

/// Adds nothing if the set has the file's width.
void find_widened(Evidence& evidence, const TensorSet& set, std::vector<Finding>& findings);
/// The same for files that list no tensors.
void find_widened_unlisted(Evidence& evidence, std::vector<Finding>& findings);

}  // namespace tidemark::analyzer
