/// Which sets of blocks with the sizes of tensors belong to the load: gradients and optimizer state
/// have the same sizes.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <vector>

namespace tidemark::analyzer {

/// From this ratio on, two element widths count as different.
constexpr double kNotableWidth = 1.25;

/// Whether a set, in whatever order, was begun as soon as the file was read, so that it was made
/// from the file: gradients only come after a pass through the model, with the weights in another
/// set.
bool was_unpacked_at_once(const Evidence& evidence, const TensorSet& set);

/// Removes sets that are not of the load. Sets into which the model was seen to go come first.
void keep_those_of_the_load(const Evidence& evidence, std::vector<TensorSet>& sets);

}  // namespace tidemark::analyzer
