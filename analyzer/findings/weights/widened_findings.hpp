/// Tensors that have more bytes in memory than in the file.
///
/// `widened`, of files that list their tensors: nine tenths of the tensors (those of 64 KiB and
/// more in memory) have a block at the peak with the same number of bytes for each element, a
/// quarter more than in the file. At least eight tensors of three sizes, or sixteen of two, in the
/// order of the file. A vector that grew has room for a power of two of them.
///
/// `widened`, of files that list none: nine tenths of the blocks (of 64 KiB and more) that the
/// files were read into, each once and whole, have a block of one multiple of their size at the
/// peak, begun as soon as the file was read. Or eight blocks of three sizes at least have one
/// multiple of what was read into each, and looks found them touched beyond it.
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
