/// Texts for sets of blocks that have the sizes of tensors.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// `all 24 tensors of 64 KiB or more`, `22 of the 24 ...`: smaller blocks are not followed.
std::string tensors_text(const TensorSet& set);
/// `24 blocks of Empty (ndarray.cpp:71), 256.0 MiB` for each set, made distinct.
std::vector<std::string> set_texts(const Evidence& evidence, std::span<const TensorSet> sets);

}  // namespace tidemark::analyzer
