/// Which sets of blocks with the sizes of tensors are of the load: gradients and an optimizer's
/// state have these sizes, too.
#pragma once

#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <vector>

namespace tidemark::analyzer {

/// From here on two widths of an element are not the same.
constexpr double kNotableWidth = 1.25;

/// A set by itself, in whatever order, that was begun as soon as the file was read: made from what
/// was read. Before there are gradients there is a pass through the model, and weights of another
/// set.
bool was_unpacked_at_once(const Evidence& evidence, const TensorSet& set);

/// Takes out the others. Sets into which the model was seen to go come first.
void keep_those_of_the_load(const Evidence& evidence, std::vector<TensorSet>& sets);

}  // namespace tidemark::analyzer
