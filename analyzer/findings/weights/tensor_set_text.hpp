/// How a set of blocks that have the sizes of tensors is told.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <string>

namespace tidemark::analyzer {

/// `all 24 tensors of 64 KiB or more`, `22 of the 24 ...`: smaller blocks are not followed.
std::string tensors_text(const TensorSet& set);
/// `24 blocks of Empty (ndarray.cpp:71), 256.0 MiB`.
std::string set_text(const Evidence& evidence, const TensorSet& set);

}  // namespace tidemark::analyzer
