#pragma once

#include "reference_loaders/nntrainer/network.hpp"
#include "reference_loaders/nntrainer/section_reader.hpp"

#include <vector>

namespace tidemark::loaders::nntrainer {

/// The kind of layer that a section's type, and activation, name. @throws BadInput
LayerKind kind_of(const SectionReader& section);

/// The weights of a layer whose shapes are known, in the order in which the weights file has them.
std::vector<WeightSpec> weights_of(const Layer& layer);

}  // namespace tidemark::loaders::nntrainer
